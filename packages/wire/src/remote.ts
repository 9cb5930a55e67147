/** A session elsewhere as a client sees it. Runs in browsers: neither schemas nor modules of Node's come with it. */
export type { SessionClient } from "./client.ts";
export { commandRights } from "./command-rights.ts";
export { FrameReader } from "./frames.ts";
export { Live } from "./live.ts";
export { protocolVersion, readJoin, readObject, type Bye, type JoinRequest } from "./greeting.ts";
export { RemoteSession, type ConnectionState, type RemoteSessionOptions } from "./remote-session.ts";
export {
	emptySnapshot,
	Playback,
	type Beat,
	type FrameBody,
	type PlaybackState,
	type RecordedSession,
} from "./playback.ts";
export { Replica } from "./replica.ts";
export { permits, rights, type Right } from "./rights.ts";
export {
	GoneError,
	RefusedError,
	type Connection,
	type ConnectionEvents,
	type Transport,
} from "./transport.ts";
export { commentType } from "./view.ts";
export { invocationOf, pastesOf, userTextOf } from "./user-text.ts";
export { webSocketTransport } from "./web-socket-transport.ts";
