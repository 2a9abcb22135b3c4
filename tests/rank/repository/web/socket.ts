/** Pushes news about an order to the browser. */
export class WebSocketServer {
  private clients = new Set<string>();

  subscribe(client: string, orderNumber: number): void {
    this.clients.add(`${client}:${orderNumber}`);
  }

  broadcast(message: string): number {
    return this.clients.size + message.length;
  }
}
