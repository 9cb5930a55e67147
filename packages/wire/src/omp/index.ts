/** Rooms of omp (its protocol version 3): the entry point `@tau/wire/omp`. Weaker than Tau's own; docs/collab.md says where. */
export { ompTransport, type OmpGuestOptions } from "./guest.ts";
export { OmpHost, type OmpHostOptions, type OmpSession } from "./host.ts";
export { newOmpRoom, OmpSealer, type OmpRoomKeys } from "./seal.ts";
