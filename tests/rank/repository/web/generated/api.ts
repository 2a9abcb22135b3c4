// Generated from openapi.yaml
export interface OrderDto {
  number: number;
  paid: boolean;
}

export function getOrder(number: number): Promise<OrderDto> {
  return fetch(`/orders/${number}`).then((response) => response.json());
}
