/** Commands for which there is a better tool; used only when the user has enabled it. */
interface Rule {
	pattern: RegExp;
	tool: string;
	why: string;
}

const rules: readonly Rule[] = [
	{
		pattern: /^\s*(?:cat|head|tail|less|more|bat)\s+(?!-f\b)[^|;&<>]+$/,
		tool: "read",
		why: "which numbers the lines and can continue where it stopped",
	},
	{
		pattern: /^\s*(?:grep|egrep|fgrep|rg|ag|ack)\s/,
		tool: "grep",
		why: "which respects .gitignore and groups matches",
	},
	{
		pattern: /^\s*(?:find\s+[^|;&]*-i?name|fd\s|locate\s)/,
		tool: "find",
		why: "which respects .gitignore and lists the newest first",
	},
	{
		pattern: /^\s*(?:sed\s+(?:-\w*\s+)*-\w*i|perl\s+(?:-\w*\s+)*-\w*i|awk\s+-i\s+inplace)/,
		tool: "edit",
		why: "which checks each change and shows a diff",
	},
	{
		pattern: /^\s*(?:echo|printf|cat\s*<<)[^|]*[^0-9&>]>>?\s*(?!\/dev\/|&)\S/s,
		tool: "write",
		why: "which preserves quotes and line endings",
	},
];

/** Returns the message that replaces running the command; undefined when the command should run. */
export function intercept(command: string, hasTool: (name: string) => boolean): string | undefined {
	const rule = rules.find(({ pattern, tool }) => pattern.test(command) && hasTool(tool));
	return rule && `Blocked: use the ${rule.tool} tool instead, ${rule.why}.\n\nThe command was: ${command}`;
}
