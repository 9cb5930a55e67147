/** The bounds of packages, each with its reason. */
export const limits = {
	/** A package.json, a plugin.json, a lock file: what is longer is no manifest. */
	manifestBytes: 2 * 1024 * 1024,
	/** What npm allows for a name. */
	nameChars: 214,
	/** The length of a source that a user types or a settings file names. */
	sourceChars: 2048,
	/** Resources of one kind in one package: more would bury the user's own. */
	resources: 500,
	/** Files and directories that a glob of a manifest visits. */
	walked: 5000,
	/** Packages of one directory; also limits what start-up may have to read. */
	packages: 200,
	/** The registry's description of all versions of a package; the largest known ones have some ten megabytes. */
	metadataBytes: 64 * 1024 * 1024,
	/** What is downloaded of one package. */
	tarballBytes: 64 * 1024 * 1024,
	/** The size of a package on disk, including its dependencies. */
	unpackedBytes: 512 * 1024 * 1024,
	unpackedEntries: 50_000,
	/** A registry that does not answer. */
	metadataMs: 30_000,
	tarballMs: 300_000,
	/** A repository may be large and the line slow. */
	gitMs: 600_000,
	/** git prints a commit, or nothing. */
	gitBytes: 64 * 1024,
	dependenciesMs: 600_000,
	/** The end of Bun's output that is stored for the error message. */
	processOutputChars: 64 * 1024,
	/** The maximum length of that output in a message. */
	reasonChars: 600,
	/** How long another run that installs is waited for, and how often it is looked for. */
	waitMs: 900_000,
	pollMs: 100,
	/** Redirects of a registry; each is checked before it is followed. */
	redirects: 5,
} as const;
