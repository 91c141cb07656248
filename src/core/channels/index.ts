export { serveDelivery } from './deliver.ts'
export { deliveryBehind, type Linked, linkedItem, useLink } from './links.ts'
export { routeItems } from './routing.ts'
