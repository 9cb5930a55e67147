/** Where an extension, a tool or a command comes from. */
export interface SourceInfo {
	path: string;
	/** `builtin`, or what found it. */
	source: string;
	scope: "user" | "project" | "temporary";
	origin: "package" | "top-level";
	baseDir?: string;
}
