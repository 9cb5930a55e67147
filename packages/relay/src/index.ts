/** The relay: rooms whose members meet over the network, and shares. It passes sealed bytes on and reads none. */
export { relayOptions } from "./options.ts";
export { startRelay, type Page, type Relay, type RelayOptions } from "./server.ts";
