/** `tau grep`: gives the user the search of the model's `grep` tool. */
import { search, type SearchOptions, type SearchOutcome } from "@tau/sys";
import { oneLine, UsageError } from "@tau/utils";
import { patternProblem } from "@tau/tools/grep";

import { processOutput } from "../../../modes/output.ts";
import type { Args } from "../../args.ts";
import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";
import { grepPrinter } from "./printer.ts";
import { limits } from "../../limits.ts";
import { onInterrupt } from "../../signals.ts";

/** The exit codes are grep's: scripts rely on them. */
const grepCodes = { found: 0, nothing: 1, wrong: exitCodes.usage } as const;

export async function runGrep(args: Args): Promise<number> {
	using interruption = onInterrupt();
	const gone = new AbortController();
	const out = processOutput(process.stdout, () => gone.abort());
	const options = searchOptions(args, out.isTerminal);
	const isColored = out.isTerminal && !process.env.NO_COLOR;
	const hasContext = args.flags.has("context");
	const print = grepPrinter(out, { isColored, namesOnly: args.flags.has("files"), hasContext });
	const signal = AbortSignal.any([interruption.signal, gone.signal]);
	const outcome = await search({ ...options, signal }, print);
	const problem = await out.settled();
	if (problem) {
		printError(`cannot write the output: ${problem.message}`);
		return grepCodes.wrong;
	}
	return interruption.exitCode ?? report(outcome, options.pattern);
}

function searchOptions({ operands, flags, repeated }: Args, isTerminal: boolean): SearchOptions {
	const [pattern, ...paths] = operands;
	if (pattern === undefined) throw new UsageError("Usage: tau grep <pattern> [path…]");
	const context = wholeNumber("context", flags.get("context"), 0);
	const maxPerFile = wholeNumber("max-count", flags.get("max-count"), 1);
	return {
		pattern,
		paths: paths.length > 0 ? paths : ["."],
		cwd: process.cwd(),
		literal: flags.has("literal"),
		ignoreCase: flags.has("ignore-case"),
		multiline: flags.has("multiline"),
		gitignore: !flags.has("no-ignore"),
		globs: repeated?.get("glob") ?? [],
		types: repeated?.get("type") ?? [],
		lineChars: isTerminal ? limits.grepLineChars : limits.grepPipedLineChars,
		timeoutMs: limits.grepMs,
		...(context === undefined ? {} : { before: context, after: context }),
		...(maxPerFile === undefined ? {} : { maxPerFile }),
	};
}

function wholeNumber(flag: string, value: string | undefined, least: number): number | undefined {
	if (value === undefined) return undefined;
	if (/^\d{1,9}$/.test(value) && Number(value) >= least) return Number(value);
	throw new UsageError(
		`--${flag} must be a whole number of at least ${least}, not "${oneLine(value, limits.valueChars)}".`,
	);
}

function report(outcome: SearchOutcome, pattern: string): number {
	if (!outcome.ok) {
		const text =
			outcome.reason === "pattern" ? patternProblem(pattern, outcome, "use --literal") : outcome.message;
		for (const line of text.split("\n")) printError(line);
		return grepCodes.wrong;
	}
	for (const problem of outcome.problems) printError(problem);
	if (outcome.stopped === "timeout") printError("the search timed out.");
	const isWrong = outcome.problems.length > 0 || outcome.stopped === "timeout";
	if (outcome.matches > 0) return grepCodes.found;
	return isWrong ? grepCodes.wrong : grepCodes.nothing;
}
