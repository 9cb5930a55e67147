/** The bounds of omp's rooms, each with its reason. */
const KiB = 1024;
const MiB = 1024 * KiB;

export const ompLimits = {
	/** A frame at most: its relays refuse more than 1 MiB, and base64 of nothing is added on the way. */
	frameBytes: 960 * KiB,
	/** Entries of a snapshot that travel in one frame, as omp cuts them. */
	chunkBytes: 512 * KiB,
	/** What a joiner gets of a long session, the newest of it: omp's own bound of a snapshot. */
	snapshotBytes: 24 * MiB,
	/** A text in an entry that is too large for a frame is cut to that. */
	cutChars: 32 * KiB,
	/** Facts are told once in this time, as omp does. */
	stateMs: 100,
	/** Answers are sent whole each time, so that many small parts would cost their length squared. */
	answerMs: 100,
	/** A transcript of an agent in one answer, and how long a guest waits for it. */
	transcriptBytes: 512 * KiB,
	transcriptMs: 20_000,
	/** The welcome, and each part of the snapshot. */
	welcomeMs: 30_000,
	/** Questions of a host that a guest keeps. */
	requests: 64,
	/** A guest that has not said hello by then is not waited for. */
	helloMs: 30_000,
} as const;
