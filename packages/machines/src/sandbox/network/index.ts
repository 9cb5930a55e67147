/** The entry point of the sandbox's network: a start does not load it. */
export { isOpenHere } from "./loopback.ts";
export { ProxiedNetwork } from "./network.ts";
export { HostProxy } from "./proxy.ts";
export { refusedPorts } from "./refused-ports.ts";
