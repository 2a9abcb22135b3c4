import 'dart:async';
import 'package:shop/price.dart';

/// How many lines fit into a cart.
const int maxLines = 50;

typedef Listener = void Function(Cart cart);

/// A cart that tells its listeners what changed in it.
class Cart extends Model with Notifier {
  final List<Line> lines = [];
  String? _note;

  Cart(this.owner, {required this.currency});

  factory Cart.empty() => Cart(null, currency: 'EUR');

  /// The sum of all lines.
  @override
  double get total {
    return lines.fold(0, (sum, line) => sum + line.price);
  }

  set note(String value) => _note = value;

  Future<void> add(Line line) async {
    lines.add(line);
    await save();
  }
}

mixin Notifier {
  void tell() {}
}

enum Colour { red, green }

extension Pretty on Cart {
  String pretty() => '$total';
}

void main() {
  runApp(const App());
}
