/** Why a relay closes a connection: codes that its clients act on (docs/room-protocol.md). */

export const codes = {
	restart: { code: 1012, reason: "this node restarts, connect again" },
	tryLater: { code: 1013, reason: "other nodes cannot be reached right now, try again" },
	roomClosed: { code: 4001, reason: "room closed" },
	refused: { code: 4003, reason: "this link is not valid any more" },
	noRoom: { code: 4004, reason: "no such room" },
	tooFast: { code: 4008, reason: "too many messages or bytes" },
	notHost: { code: 4009, reason: "the room belongs to another host" },
	hostThere: { code: 4009, reason: "a host is already connected for this room" },
	replaced: { code: 4010, reason: "replaced by a newer connection" },
	tooLarge: { code: 4013, reason: "message too large" },
	full: { code: 4029, reason: "room is full" },
	tooManyRooms: { code: 4030, reason: "too many new rooms from this address" },
	malformed: { code: 4400, reason: "malformed message" },
	noHello: { code: 4408, reason: "no hello in time" },
} as const;

export type Closing = (typeof codes)[keyof typeof codes];
