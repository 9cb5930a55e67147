/** The bounds of discovery, each with its reason. */
export const limits = {
	/** A source that does not respond, as on a lost disk, must not delay the prompt for the user. */
	sourceMs: 2000,
	/** Files of one directory of commands, rules or agents: more is a directory with another purpose. */
	perDirectory: 500,
	/** Directories below one directory of skills or commands that are looked into. */
	directories: 500,
	/** How deep they are looked into. */
	depth: 4,
	/** A skill, a command or a rule is a page or several; what is longer is data. */
	documentBytes: 256 * 1024,
	/** Of a configuration: other programs keep their history in the same file. */
	configBytes: 8 * 1024 * 1024,
	/** Directories from the working directory up to the root of the project. */
	ancestors: 40,
} as const;
