/** The bounds of rooms, each with its reason. */
const KiB = 1024;
const MiB = 1024 * KiB;

export const roomLimits = {
	/** What one message to the relay carries at most, its routing included: relays refuse more than 256 KB. */
	relayBytes: 240 * KiB,
	/** What the pieces of one message make together, at most; a snapshot has some 2 MB. */
	wholeBytes: 64 * MiB,
	/** The same for what a guest sends that may prompt: a prompt with a dozen large images fits. */
	guestWholeBytes: 64 * MiB,
	/** What unfinished messages of all guests of a room hold together: two such prompts at once. */
	unfinishedBytes: 128 * MiB,
	/** The same for a guest that may not prompt: commands and comments are short, and sixty guests must not fill the memory. */
	guestCommandBytes: MiB,
	/** What a host sends to one guest before that guest has said that it has read it. */
	windowBytes: 512 * KiB,
	/** A guest says how much it has read each time that it has read so much. */
	acknowledgeBytes: 128 * KiB,
	/** What a guest keeps of frames that came before those that they follow. */
	earlyBytes: 4 * MiB,
	/** Members of a room, those that wait to be admitted included. */
	guests: 64,
	/** Peers that have begun to join and not finished. */
	joining: 64,
	/** How long a peer may take from its first message to its last one of the handshake. */
	handshakeMs: 15_000,
	/** A guest that waits longer for admission sees that the host was asked. */
	waitingMs: 300,
	/** How often a guest asks whether the host is there, and how long it waits for the answer. */
	pingMs: 10_000,
	silenceMs: 25_000,
	/** How long the answer to a network check may take. */
	probeMs: 5000,
	/** How long a host that closes its room waits for guests to read why. */
	farewellMs: 1000,
	/** How long a guest waits for the last words of a host whose connection has ended. */
	awayMs: 500,
	/** A guest asks for the same missing frames at most once in this time. */
	resumeMs: 250,
	/** A host forgets a guest that has sent nothing for so long. */
	guestSilenceMs: 60_000,
	/** Commands of one guest, in a window of time; more are a flood, and the guest is removed. */
	floodCommands: 200,
	floodMs: 10_000,
	/** Handshakes of a room in the same time: one costs the host half a millisecond. */
	floodHandshakes: 200,
	/** A guest's name, as others read it. */
	nameChars: 64,
	/** Links of one room. */
	links: 64,
	/** Guests that a link remembers. */
	guestsKept: 1000,
	/** The first answer of a relay. */
	connectMs: 15_000,
	/** How long a host may take to welcome a guest; a user may have to admit it first. */
	welcomeMs: 30_000,
	admitMs: 10 * 60_000,
	/** The waits between two attempts to come back: doubled each time, and different for everybody. */
	retryMs: 500,
	retryMostMs: 30_000,
	/** In the first minute no wait is longer: guests wait for a host whose relay was only restarted. */
	hurriedRetryMs: 4000,
	hurriedRetries: 16,
	/** How long guests look for a room whose host is gone: a laptop that sleeps over lunch comes back. */
	lostMs: 12 * 3_600_000,
} as const;
