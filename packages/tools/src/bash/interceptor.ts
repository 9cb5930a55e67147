/** Commands for which there is a better tool; used only where a person has turned it on. */
interface Rule {
	pattern: RegExp;
	tool: string;
	why: string;
}

const rules: readonly Rule[] = [
	{
		pattern: /^\s*(?:cat|head|tail|less|more|bat)\s+(?!-f\b)[^|;&<>]+$/,
		tool: "read",
		why: "it numbers the lines and can go on where it stopped",
	},
	{
		pattern: /^\s*(?:grep|egrep|fgrep|rg|ag|ack)\s/,
		tool: "grep",
		why: "it knows .gitignore and groups what it finds",
	},
	{
		pattern: /^\s*(?:find\s+[^|;&]*-i?name|fd\s|locate\s)/,
		tool: "find",
		why: "it knows .gitignore and lists the newest first",
	},
	{
		pattern: /^\s*(?:sed\s+(?:-\w*\s+)*-\w*i|perl\s+(?:-\w*\s+)*-\w*i|awk\s+-i\s+inplace)/,
		tool: "edit",
		why: "it checks what it changes and shows the difference",
	},
	{
		pattern: /^\s*(?:echo|printf|cat\s*<<)[^|]*[^0-9&>]>>?\s*(?!\/dev\/|&)\S/s,
		tool: "write",
		why: "it keeps quotes and line ends as they are",
	},
];

/** What to say instead of running the command; nothing when it is to run. */
export function intercept(command: string): string | undefined {
	const rule = rules.find(({ pattern }) => pattern.test(command));
	return rule && `Blocked: use the tool ${rule.tool} instead, ${rule.why}.\n\nThe command was: ${command}`;
}
