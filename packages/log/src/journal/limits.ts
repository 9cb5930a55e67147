/** The bounds of the change journal and of rewinding, each with its reason. */
const MB = 1024 * 1024;

export const limits = {
	/** Stored changes; at 200 bytes each they take 2 MB. The oldest are dropped first. */
	entries: 10_000,
	/** The content of a larger file is not kept: it is data or a build product. */
	fileBytes: 16 * MB,
	/** Copies of dirty and untracked files that are taken before the first command: their number and their bytes. */
	copies: 50_000,
	copyBytes: 512 * MB,
	/** Files and directories of a project that is watched; a larger tree is no project. */
	treeEntries: 400_000,
	/** Names of files with more than one: each is looked at before and after each command, which takes 3 µs. */
	hardLinks: 10_000,
	/** How long scanning may block key input at a time: half a frame of a fast screen. */
	sliceMs: 6,
	/**
	 * How long the first command waits for the copies. 50,000 files take about one second, and ten times as long on a machine
	 * that has other work; a command that does not wait may change what cannot be restored then.
	 */
	prepareMs: 30_000,
	/** File systems take the time of a change from a clock that the kernel advances 100 to 1,000 times a second. */
	clockTickMs: 10,
	/** What a running command has changed is recorded after this time, and then each time after twice as long. */
	firstLookMs: 1000,
	/** After a command, when the model is likely to think: whether processes are left; then each time after twice as long. */
	leftoverMs: 250,
	mostLeftoverMs: 16_000,
	/** Between two looks at the kernel's queue while a command runs; it has room for 16,384 events. */
	drainMs: 50,
	/** How often a running command renews the time up to which changes are its own. */
	beatMs: 1000,
	/** The lines of a baseline; then it is written anew. One path takes 200 bytes. */
	baselineBytes: 64 * MB,
	/** Lines of a baseline that wait to be written together. */
	pendingLines: 1000,
	/** Contents that wait to be written together. */
	pendingBytes: MB,
	/** A larger segment is followed by a new one: the unit in which old contents are removed. */
	segmentBytes: 16 * MB,
	/** A line of the record: 10,000 changed files take 3 MB. */
	lineBytes: 64 * MB,
	/** Files that a list of messages names; the others are counted. */
	shownNames: 20,
	/** A longer file is compared only by size in a preview. */
	previewBytes: MB,
	/** Contents that did not fit on the disk and are remembered as such: more than a rewind lists. */
	unwritten: 10_000,
	/** Prompts of a running session whose files are never collected. */
	protectedPrompts: 20,
} as const;
