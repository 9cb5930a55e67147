/** The entry point of what is known about the machine, and of connections within it. */
export { loadableLibrary } from "./library.ts";
export { systemInfo, type SystemInfo } from "./info.ts";
export { ownNetworks } from "./own-networks.ts";
export { connectLocally, listenLocally, sweepSockets } from "./local-socket.ts";
