/** Sealed rooms: the entry point `@tau/wire/room`. Runs in browsers; WebCrypto is all it needs. */
export { roomTransport, type GuestOptions } from "./guest.ts";
export {
	RoomHost,
	type RoomEvents,
	type RoomHostOptions,
	type RoomState,
	type SharedSession,
} from "./host.ts";
export type { RoomGuest, RoomMember } from "./host-peer.ts";
export { Invitations, isExpired, linkRights, type Invitation, type LinkRight } from "./invitations.ts";
export { newIdentity, readIdentity, verifier, type RoomIdentity, type StoredIdentity } from "./keys.ts";
export { roomLimits } from "./limits.ts";
export {
	browserLink,
	LinkError,
	maskLink,
	pageOf,
	printLink,
	readLink,
	readRelay,
	shownBrowserLink,
	type RoomLink,
} from "./link.ts";
export { cleanName } from "./names.ts";
export {
	webSocketRelay,
	type ConnectRelay,
	type RelayConnection,
	type RelayEnd,
	type RelayEvents,
	webSocketRelays,
} from "./relay-socket.ts";
export { GroupOpener, GroupSealer, RoomFault, type FaultKind } from "./seal.ts";
