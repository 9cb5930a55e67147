/** `tau update`: Tau itself, and packages. */
import { UsageError } from "@tau/utils";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { isJson, jsonLine, printed } from "../sessions/output.ts";
import { installationHere } from "./installation.ts";
import { updateSelf, type SelfUpdateOutcome } from "./self.ts";

const releasesUrl = "https://github.com/tau-agent/tau/releases/latest/download";

export function releasesAddress(): string {
	return (process.env.TAU_RELEASES_URL ?? releasesUrl).replace(/\/+$/, "");
}

/** Names of Tau among the packages to update; as pi has them. */
const selfNames = new Set(["self", "tau"]);

export async function runUpdate(args: Args, version: string): Promise<number> {
	const names = args.operands.filter((name) => !selfNames.has(name));
	const wantsSelf = args.flags.has("self") || args.flags.has("check") || names.length < args.operands.length;
	const wantsPackages = args.flags.has("all") || names.length > 0;
	if (args.flags.has("check") && wantsPackages)
		throw new UsageError("--check looks for a new Tau only; it does not apply to packages.");
	const isBoth = !wantsSelf && !wantsPackages;
	const codes: number[] = [];
	if (wantsSelf || isBoth) codes.push(await runSelf(args, version));
	if (wantsPackages || isBoth) {
		const { runPluginAlias } = await import("../plugin/command.ts");
		codes.push(await runPluginAlias({ ...args, operands: names }));
	}
	return codes.find((code) => code !== exitCodes.answered) ?? exitCodes.answered;
}

async function runSelf(args: Args, version: string): Promise<number> {
	using interruption = onInterrupt();
	try {
		const outcome = await updateSelf({
			installation: installationHere(),
			url: releasesAddress(),
			version,
			isCheck: args.flags.has("check"),
			signal: interruption.signal,
		});
		return printed(isJson(args) ? jsonLine({ tau: outcome }) : `${textOf(outcome, version)}\n`);
	} catch (error) {
		if (interruption.exitCode !== undefined) return interruption.exitCode;
		const reason = error instanceof Error ? error.message : String(error);
		printError(`Tau was not updated: ${reason}`);
		return exitCodes.failed;
	}
}

function textOf(outcome: SelfUpdateOutcome, version: string): string {
	switch (outcome.kind) {
		case "managed":
			return `Tau ${version} was installed with ${outcome.by}. To update it, run: ${outcome.command}`;
		case "current":
			return `Tau ${version} is the newest version.`;
		case "available":
			return `Tau ${outcome.version} is available (this is ${version}). To install it, run: tau update --self`;
		case "updated":
			return `Updated Tau from ${version} to ${outcome.version}. Running sessions keep the old version until they end.`;
	}
}
