/** How `tau sessions` prints. */
import { stripControls } from "@tau/utils";

import { processOutput } from "../../../modes/output.ts";
import type { Args } from "../../args.ts";
import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";

export async function printed(text: string): Promise<number> {
	const out = processOutput(process.stdout, () => {});
	// Names and directories come from files of unknown origin.
	await out.write(stripControls(text));
	const problem = await out.settled();
	if (!problem) return exitCodes.answered;
	printError(`cannot write the output: ${problem.message}`);
	return exitCodes.failed;
}

export function jsonLine(row: unknown): string {
	return `${stripControls(JSON.stringify(row), { newline: false, tab: false })}\n`;
}

/** Returns the width of a line: that of the terminal, or unlimited in a pipe. */
export function lineWidth(): number {
	const { isTTY, columns } = process.stdout;
	return isTTY ? columns : Number.POSITIVE_INFINITY;
}

export function isJson({ flags }: Args): boolean {
	return flags.get("mode") === "json";
}

export function bytes(count: number): string {
	if (count < 1000) return `${count} B`;
	const [value, unit] = count < 999_500 ? [count / 1000, "kB"] : [count / 1_000_000, "MB"];
	return `${Number(value.toFixed(value < 10 ? 1 : 0))} ${unit}`;
}
