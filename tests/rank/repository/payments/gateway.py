"""Payment gateways: cards are charged and refunded here."""

import logging

log = logging.getLogger(__name__)


class PaymentDeclined(Exception):
    """The bank said no."""


class PaymentGateway:
    """Talks to a bank over HTTP with retries."""

    def __init__(self, transport, max_attempts=3):
        self._transport = transport
        self._max_attempts = max_attempts

    def charge(self, card, amount):
        """Take an amount from a card."""
        return self._send("charge", card, amount)

    def refund(self, order):
        """Give the amount of an order back."""
        return self._send("refund", order.card, -order.amount)

    def _send(self, verb, card, amount):
        for attempt in range(self._max_attempts):
            try:
                return self._transport.post(verb, card.token, amount)
            except TimeoutError:
                log.warning("bank did not answer in time, attempt %d of %d", attempt, self._max_attempts)
                self._back_off(attempt)
        raise PaymentDeclined("gateway gave up after too many attempts")

    def _back_off(self, attempt):
        """Wait longer after each failed attempt: exponential backoff."""
        self._transport.sleep(2**attempt / 10)
