<?php
declare(strict_types=1);

namespace Shop\Cart;

use Shop\Line;
use function Shop\price;

const LIMIT = 10;

/**
 * Holds lines.
 */
#[Entity]
final class Cart extends Base implements Priced
{
    use Countable;

    public const STATE = 'open';
    private array $lines = [];

    public function __construct(private readonly Shop $shop)
    {
        parent::__construct();
    }

    /** Adds a line. */
    #[Log]
    public function add(Line $line, int $count = 1): static
    {
        if (count($this->lines) >= LIMIT) {
            throw new \RuntimeException('full');
        }
        $this->lines[] = $line;
        return $this;
    }

    abstract protected function name(): string;
}

interface Priced
{
    public function price(): int;
}

trait Countable
{
    public function count(): int { return count($this->lines); }
}

enum State: string
{
    case Open = 'open';

    public function done(): bool { return $this !== self::Open; }
}

if (!function_exists('total')) {
    function total(array $lines): int
    {
        return array_sum(array_map(fn ($line) => $line->price(), $lines));
    }
}

return new Cart(new Shop());
