/** Commands for which there is a better tool; used only when the user has enabled it. */
import { log } from "@tau/utils";

interface Rule {
	pattern: RegExp;
	tool: string;
	message: string;
}

const rules: readonly Rule[] = [
	{
		pattern: /^\s*(?:cat|head|tail|less|more|bat)\s+(?!-f\b)[^|;&<>]+$/,
		tool: "read",
		message: "use the read tool instead, which numbers the lines and can continue where it stopped.",
	},
	{
		pattern: /^\s*(?:grep|egrep|fgrep|rg|ag|ack)\s/,
		tool: "grep",
		message: "use the grep tool instead, which respects .gitignore and groups matches.",
	},
	{
		pattern: /^\s*(?:find\s+[^|;&]*-i?name|fd\s|locate\s)/,
		tool: "find",
		message: "use the find tool instead, which respects .gitignore and lists the newest first.",
	},
	{
		pattern: /^\s*(?:sed\s+(?:-\w*\s+)*-\w*i|perl\s+(?:-\w*\s+)*-\w*i|awk\s+-i\s+inplace)/,
		tool: "edit",
		message: "use the edit tool instead, which checks each change and shows a diff.",
	},
	{
		pattern: /^\s*(?:echo|printf|cat\s*<<)[^|]*[^0-9&>]>>?\s*(?!\/dev\/|&)\S/s,
		tool: "write",
		message: "use the write tool instead, which preserves quotes and line endings.",
	},
];

/** A rule of the user's settings. */
type OwnRule = Readonly<{ pattern: string; tool: string } & Record<string, unknown>>;

/** Returns the message that replaces running the command; undefined when the command should run. */
export function intercept(
	command: string,
	own: readonly OwnRule[],
	hasTool: (name: string) => boolean,
): string | undefined {
	const all = [...own.flatMap(readRule), ...rules];
	const rule = all.find(({ pattern, tool }) => pattern.test(command) && hasTool(tool));
	return rule && `Blocked: ${rule.message}\n\nThe command was: ${command}`;
}

function readRule({ pattern, tool, message }: OwnRule): Rule[] {
	try {
		const usual = `use the ${tool} tool instead.`;
		return [{ pattern: new RegExp(pattern), tool, message: typeof message === "string" ? message : usual }];
	} catch (error) {
		log.warn("a rule of bashInterceptor.patterns is not used", { pattern, reason: String(error) });
		return [];
	}
}
