/** What redirections read and change, and what a command gets as its input. */
import type { Arg } from "./args.ts";
import { expandValue, type Expander } from "./expand.ts";
import { mayConnect, type Findings } from "./findings.ts";
import { stream } from "./outputs.ts";
import type { Input } from "./programs/context.ts";
import type { Redirect } from "./syntax/tree.ts";

/** One word of a redirection that opens a file, or makes a descriptor the same as another. */
export function redirect(
	{ operator, descriptor }: Redirect,
	arg: Arg,
	directories: readonly string[] | undefined,
	findings: Findings,
): void {
	// `read x <<< ~/.netrc; cat $x`
	if (operator === "<<<") return findings.read(arg, directories, false);
	const isOutput = descriptor === 1 || descriptor === 2;
	if (operator.endsWith("&") && (arg.isNumber || /^\d*-?$/u.test(arg.value ?? "x"))) {
		// The session's shell reports on one of those, and believes what it reads there.
		if (arg.value === undefined || /^\d\d/u.test(arg.value))
			findings.unknown("a descriptor above 9 is one of the shell itself");
		// Another descriptor may be a file that is only read.
		if (isOutput && !/^[12]?-?$/u.test(arg.value ?? "0")) findings.turnOutput();
		return;
	}
	if (operator !== "<" && operator !== "<&") findings.write(arg, directories);
	if (operator.startsWith("<")) findings.read(arg, directories);
	if (operator === "<" && isOutput) findings.turnOutput();
	if (operator === "<" && arg.value === undefined && mayConnect(arg))
		findings.unknown(`${arg.text} may be an address in /dev/tcp, which bash connects to`);
}

/** Only what is redirected to descriptor 0 is input: `bash 3<<< ls` still runs what it reads from a pipe. */
export function inputOf(redirects: readonly Redirect[], before: Input, expander: Expander): Input {
	let input = before;
	for (const { operator, descriptor, target, body } of redirects) {
		if (descriptor !== 0) continue;
		const word = operator === "<<<" ? target : body;
		input = word ? { kind: "text", text: expandValue(word, expander) } : stream;
	}
	return input;
}
