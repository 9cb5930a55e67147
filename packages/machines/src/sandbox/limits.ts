/** The bounds of the sandbox. */
export const limits = {
	/** Characters of the options of an unfinished rebase; git writes some hundred. */
	workOptions: 4 * 1024,
	/** Homes of other users that are looked through for secrets, when root starts a sandbox. */
	otherHomes: 50,
	/** `.gitmodules` and pointer files are far smaller. */
	gitFileBytes: 256 * 1024,
	/** Each branch adds some 80 bytes to the settings of a repository. */
	gitSettingsBytes: 16 * 1024 * 1024,
	/** Files of settings that others include, of a repository and of the user; most have none. */
	includedSettings: 1_000,
	/** Of a path, with its end, in the kernel. */
	pathBytes: 4_096,
	/** Submodules whose hooks and configuration are protected. */
	submodules: 200,
	/** Repositories inside of each other that a command has made; git status looks into all of them. */
	nestedRepositories: 50,
	/** Repositories that others which commands have made lead to; each takes half a millisecond. */
	repositoriesAtOnce: 2_000,
	/** Directories of hidden entries of a home directory in which links are looked for: 10 ms. */
	homeEntries: 2_000,
	/** Files of the user that name what is protected, and are looked at before each command; most users have ten. */
	profileSources: 100,
	/** Files that a `.envrc` or settings of mise name; most have one or two. */
	promptFiles: 200,
	/** Words of such a file; each takes some microseconds in each directory that it names. */
	promptWords: 2_000,
	promptDirectories: 20,
	/** Files that a prompt reads below a project, whose contents are kept: each takes 50 µs. Most projects have none. */
	promptContents: 200,
	/** Directories of a project in which repositories are looked for: 20 ms at most. */
	searchedDirectories: 1_000,
	/** Links of a project that are followed to find repositories; each takes some microseconds. */
	followedLinks: 200,
	/** The same of those that commands have made: 20 ms. */
	madeLinks: 2_000,
	/** Directories that commands may make in a repository, but for those of objects; those of branches are most. */
	newGitDirectories: 10_000,
	/** Files of repositories, mostly branches, whose times of change are remembered. */
	rememberedGitFiles: 20_000,
	/** With this many directories of repositories, looking takes 10 ms and is part of the command. */
	gitDirectoriesAtOnce: 4_000,
	/** In a project of this many directories, looking for new ones takes under 1 ms and is part of the command. */
	searchedAtOnce: 250,
	/** After a command: whether processes are left that may plant something; then each time after twice as long. */
	leftoverMs: 250,
	mostLeftoverMs: 4_000,
	/** Rules of Landlock; each file beside a hidden one needs its own, at 10 µs for each command. */
	landlockRules: 4_000,
	/** Files that are copied because Landlock cannot protect them in place. */
	protectedFiles: 5_000,
	/** Files and directories of a protected directory that are remembered in case that its mount is lost; most have some dozens. */
	looseFiles: 200,
	/** Hooks of a new repository; git knows some thirty. */
	hooks: 200,
	/** Processes and threads of a sandbox; large builds have hundreds, and a fork bomb takes what there is. Root has no limit. */
	processes: 8_192,
	/** The sandbox is set up in 10 ms; on an overloaded machine it may take a thousand times as long. */
	startMs: 10_000,
	/** A start during which a file system is mounted does not count. It takes some 20 ms: two in a row are rare. */
	startsWhileMounting: 4,
	/** Looks, one per millisecond, at whether a killed sandbox has ended; the kernel takes less than one. */
	endLooks: 60,
	/** How long it is looked at without a pause, which would be a millisecond. */
	endsSoonMs: 2,
	/** The times of changes are coarse: two within two seconds may be the same on FAT. */
	coarsestClockMs: 2500,
	/** Where times have digits below a millisecond, only those within a tick of the kernel may be: of 10 ms at most. */
	coarsestTickMs: 100,
	/** The description that bubblewrap prints about a started sandbox has 300 bytes. */
	infoBytes: 4 * 1024,
	/** Messages of a program that failed to start. */
	complaintBytes: 8 * 1024,
	/** How long such a message is waited for after the end of the program; it was written before. */
	complaintMs: 100,
	/** The first line and headers of a request to the proxy. */
	proxyHeadBytes: 64 * 1024,
	/** A program sends the head at once; one that does not would keep others out. */
	proxyHeadMs: 10_000,
	/** Pieces in which a head may arrive. */
	proxyHeadChunks: 256,
	/** Hosts that the user is asked about at the same time; a package manager needs one or two. */
	pendingHosts: 8,
	/** How long a host that was declined is not asked about again: a program that retries does so within seconds. */
	declinedMs: 30_000,
	/** Connections at a time; a package manager opens some dozens. */
	proxyConnections: 512,
	/** How long a name may take to resolve, and a server to accept. */
	proxyConnectMs: 20_000,
	/** Refused connections that are remembered, for the message of the command that made them. */
	refusedHosts: 100,
	/** Ports of servers inside that the user reaches; a project has some. */
	publishedPorts: 16,
	/** Connections to each at a time; a browser opens six to a host. */
	publishedConnections: 128,
	/** Services of the user that programs inside reach. */
	localPorts: 16,
	/** Connections to each at a time; a pool of a database has some dozens. */
	localConnections: 128,
	/** The ports below are those of the system's services. */
	firstOwnPort: 1_024,
	/** What is read of the kernel's list of connections: 400 lines, of which those that listen are the first. */
	portTableBytes: 64 * 1024,
	/** How long a service of this machine may take to accept a connection. */
	probeMs: 500,
	/** The port of the proxy inside: the sandbox has all ports for itself, and programs rarely use this one. */
	proxyPort: 47_128,
} as const;
