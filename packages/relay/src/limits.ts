/** Bounds of a relay, each with its reason. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

export const limits = {
	/** The payload of a message: a session's frames are cut to this (`frameLimits` of wire). */
	frameBytes: 256 * kilobyte,
	/** omp sends chunks of 512 KB and payloads of at most 1 MB. */
	ompFrameBytes: megabyte + kilobyte,
	/** What a message, also a control message, counts beside its own bytes: each costs time, however small it is. */
	messageBytes: kilobyte,
	/** A control message: a host's may list 64 guests and all its links. */
	controlBytes: 64 * kilobyte,
	guests: 64,
	/** Guests whose last number a room remembers, present or not. */
	channels: 1024,
	/** Links that may be valid at once in a room. */
	links: 512,
	/** What a room keeps of its host's messages for members that come back, and of its guests' messages. */
	downBytes: 4 * megabyte,
	upBytes: megabyte,
	/** Messages of each direction, however small: more than a session streams in the time that they are kept. */
	entries: 8192,
	/** What a kept message takes of the memory beside its own bytes, as measured. */
	entryBytes: 512,
	/** Messages are kept this long, even when there is room for them. */
	replayMs: 10 * minute,
	/** What all rooms of a node keep together; beyond it the rooms that were quiet for longest keep nothing. */
	replayTotalBytes: 512 * megabyte,
	/** What may wait for one client. Then it reads on from the log when it has caught up, or begins anew. */
	pendingBytes: megabyte,
	/** A room waits this long for its host. */
	hostAwayMs: 10 * minute,
	/** A room without a message for this long is closed. */
	idleRoomMs: day,
	/** Rooms on one node. */
	rooms: 100_000,
	/** Challenge, key and cursor arrive within this time. */
	helloMs: 10 * second,
	/** A connection that answers no ping for this long is gone (Bun: at most 960 s). */
	silentSeconds: 120,
	/** Senders hear this often which of their messages are safe. */
	ackMs: 100,
	/** How often rooms are looked at for what has expired. */
	sweepMs: 5 * second,
	/** Members of a node that drains leave within this time. */
	drainMs: 4 * second,
	/** What a member has to connect elsewhere, after its own share of that time. */
	moveMs: second,
	/** Addresses whose use is remembered; beyond it the least recently seen are forgotten. */
	addresses: 50_000,
	/** A share, and what its sender may ask for. */
	share: {
		bytes: 20 * megabyte,
		ttlMs: 30 * day,
		maxTtlMs: 365 * day,
		/** All shares of a directory. A bucket has no such bound: its owner sets one. */
		totalBytes: 20 * 1024 * megabyte,
		/** Uploads that are taken at the same time: each is in memory as a whole. */
		uploads: 8,
		/** An upload that is slower than this is dropped. */
		uploadMs: 2 * minute,
		sweepMs: hour,
	},
	push: {
		/** What push services take. */
		bodyBytes: 4096,
		timeoutMs: 10 * second,
		maxTtlSeconds: 86_400,
		/** A signature is good for half of what push services allow. */
		tokenSeconds: 43_200,
		/** Requests to push services at the same time. */
		concurrent: 32,
	},
	redis: {
		/** A command that is not answered for this long means that Redis is away. */
		answerMs: 3 * second,
		connectMs: 2 * second,
		pingMs: second,
		/** Between attempts to reach it. */
		retryMs: 250,
		maxRetryMs: 2 * second,
		/** A node that has not renewed its mark for this long is dead; renewed three times as often. */
		nodeMs: 6 * second,
		/** Rooms of hosts that are present are marked as alive this often. */
		renewMs: minute,
		/** Rooms that are brought up to date at the same time when Redis is back. */
		recoverAtOnce: 64,
		/** Messages for other nodes wait this long for each other, longer on a busy node: each trip costs more than a message. */
		gatherMs: 2,
		busyGatherMs: 16,
		/** Messages that are written with one script call. */
		batchBytes: 512 * kilobyte,
	},
} as const;

/** How much of something an address or a member may use: `amount` at once, and again after `perMs`. */
export interface Allowance {
	readonly amount: number;
	readonly perMs: number;
}

export const allowances = {
	/** Bytes of a host: it answers joins with snapshots of a megabyte and streams to all; more than this is not a session. */
	host: { amount: 32 * megabyte, perMs: 8 * second },
	/** Bytes of a guest: prompts, with pictures now and then. */
	guest: { amount: 4 * megabyte, perMs: 16 * second },
	/** New rooms of an address. */
	rooms: { amount: 120, perMs: hour },
	/** New connections of an address: an office behind one address returns all at once after a restart. */
	connections: { amount: 1200, perMs: minute },
	shares: { amount: 60, perMs: hour },
	/** Notifications of one host's connection. */
	pushes: { amount: 30, perMs: minute },
} as const satisfies Record<string, Allowance>;
