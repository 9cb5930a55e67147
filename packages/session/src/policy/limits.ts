/** Bounds of the policy. */
export const limits = {
	/** Rules of one file: judging a call looks at each of them. */
	rulesPerFile: 2_000,
	/** A settings file of another program that is larger is not read. */
	ruleFileBytes: 1_000_000,
	/** Grants of a session and of a project; the oldest ones are dropped. */
	grants: 500,
	/** A file of grants that is larger grants nothing. */
	grantFileBytes: 1_000_000,
	/** Problems with rules that are shown at once. */
	problems: 20,
	/** Characters of a refused command or path in a notice for the user. */
	noticeChars: 200,
	/** Messages of the user that are searched for an address. */
	prompts: 200,
	/** Hosts that the user has said yes to, which are remembered while the session is open. */
	approvedHosts: 1_000,
	/** How long "Yes, once" holds for a host: a program opens several connections for what its user sees as one. */
	onceMs: 30_000,
	/** How often a call is asked about anew because what it would touch has changed while the question was open. */
	approvalRounds: 4,
	/** How long a command waits for others that are in its way before it is asked about. */
	besideMs: 2_000,
	/** Characters of such a command in the question. */
	besideChars: 60,
	/** Files that the pattern of a command is judged for, one by one. */
	globMatches: 2_000,
	/** Entries of directories that the patterns of a command are compared with: about 30 ms. */
	globEntries: 30_000,
	/** Entries of a directory that are looked at for links before an archive is unpacked there: about 30 ms. */
	treeEntries: 5_000,
	/** Entries of a directory that is deleted as a whole in which a `.git` is looked for: about 250 ms, less than `rm` takes. */
	deletedEntries: 50_000,
	/** Entries below a directory in which `rg` searches that are looked at for links in the place of `.gitignore`: about 50 ms. */
	ignoreEntries: 20_000,
	/** Files below a directory that a command would delete, which are counted for the question. */
	countedFiles: 2_000,
	/** Names of them in the question. */
	shownPaths: 4,
	/** Commands that the user has let run outside the sandbox once, until they do. */
	outsideOnce: 100,
	/** Characters of the name of a server's tool in a question. */
	toolNameChars: 64,
	/** Texts of one call that a user may change before allowing it; who wants to change more declines it with words. */
	amendableTexts: 20,
	/** How long it is known where links in the home directory lead: reading them takes about 1 ms. */
	protectedLinksMs: 100,
	/** Entries of a protected directory that may be such links. */
	protectedEntries: 200,
	/** Entries of a `.git` beside objects that are looked at for links: about 40 ms. */
	repositoryEntries: 20_000,
	/** Files of a `.git` that name a ref or another directory. */
	pointerBytes: 64 * 1024,
	/** Files of settings that include each other in one repository. */
	settingsFiles: 16,
	/** Repositories inside of a repository that are checked, and how deep; git looks into all of them. */
	submodules: 100,
	submoduleDepth: 3,
	/** Repositories whose index is not read again while it stays the same. */
	knownIndexes: 100,
	/** More than this is edited in the file afterwards. */
	amendableChars: 256 * 1024,
} as const;
