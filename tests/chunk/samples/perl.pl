#!/usr/bin/perl
use strict;
use warnings;

package Shop::Cart;

our $VERSION = '1.02';
my %price = (apple => 3, pear => 4);

=head2 total

The sum of all lines.

=cut

# Adds up the lines.
sub total {
    my ($self, %options) = @_;
    my $sum = 0;
    $sum += $price{$_} for @{ $self->{lines} };
    return $sum;
}

sub new { my $class = shift; return bless { lines => [] }, $class }

package main;

my $cart = Shop::Cart->new;
print $cart->total, "\n";

__END__
What comes here is no code.
