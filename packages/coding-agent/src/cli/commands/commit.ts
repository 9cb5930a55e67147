/** `tau commit`: commits staged or all changes, with messages that the model writes from the diff. */
import { SessionManager } from "@tau/log";
import { sessionModel, UserError } from "@tau/session/run";
import { storedLogins } from "@tau/config/models";
import { UsageError } from "@tau/utils";

import { prepareCommit, previewLines, type PreparedCommit } from "@tau/session-commands/work";
import type { Args } from "../args.ts";
import { confirm } from "../confirm.ts";
import { requireGitTrust } from "../git-trust.ts";
import { exitCodes } from "../exit-codes.ts";
import { loadRegistry } from "../launch/load-models.ts";
import { openSettings } from "../launch/load-settings.ts";
import { modelRequest } from "../launch/model-request.ts";
import { loadEnvironment } from "../launch/session-parts.ts";
import { usageOutside } from "../launch/usage-outside.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";
import { openCredentials } from "./auth/store.ts";
import { jsonLine, printed } from "./sessions/output.ts";

export async function runCommit(args: Args): Promise<number> {
	using interruption = onInterrupt();
	const isAsked = process.stdin.isTTY && process.stdout.isTTY;
	const mayCommit = args.flags.has("yes") || args.flags.has("dry-run");
	if (!isAsked && !mayCommit)
		throw new UsageError("Not a terminal: pass --yes to commit or --dry-run to preview.");
	try {
		await requireGitTrust(args, "commit", interruption.signal);
		const prepared = await prepare(args, interruption.signal);
		if (!args.flags.has("json"))
			await printed(`${previewLines(prepared.changes, prepared.commits).join("\n")}\n`);
		if (args.flags.has("dry-run"))
			return args.flags.has("json") ? await printJson(prepared, []) : exitCodes.answered;
		if (!args.flags.has("yes") && !(await confirm("Commit this?", interruption.signal))) {
			printError("Nothing was committed.");
			return exitCodes.failed;
		}
		const made = await prepared.make(prepared.commits);
		if (args.flags.has("json"))
			return await printJson(
				prepared,
				made.map(({ oid }) => oid),
			);
		return await printed(
			made.map(({ oid, message }) => `${oid.slice(0, 10)} ${message.split("\n")[0]}\n`).join(""),
		);
	} catch (error) {
		if (interruption.exitCode !== undefined) return interruption.exitCode;
		if (!(error instanceof UserError)) throw error;
		printError(error.message);
		return exitCodes.failed;
	}
}

async function prepare(args: Args, signal: AbortSignal): Promise<PreparedCommit> {
	const cwd = process.cwd();
	loadEnvironment();
	const settings = await openSettings(args);
	using store = await openCredentials(settings);
	const registry = await loadRegistry(args, process.env, settings, storedLogins(store));
	using log = SessionManager.inMemory(cwd);
	const request = modelRequest(args);
	const thinking = undefined;
	const choice = await sessionModel({ request, thinking, registry, settings, log, env: process.env });
	return await prepareCommit({
		cwd,
		env: process.env,
		isTrusted: true,
		registry,
		credentials: store,
		model: choice.model,
		scope: args.flags.has("all") ? "all" : "auto",
		split: args.flags.has("split"),
		hint: args.operands.join(" ") || undefined,
		onAnswer: usageOutside("commit", cwd),
		onNotice: printError,
		signal,
	});
}

function printJson({ changes, commits }: PreparedCommit, oids: readonly string[]): Promise<number> {
	const rows = commits.map(({ message, hunks }, at) => {
		const files = [
			...new Set(changes.hunks.filter(({ number }) => hunks.includes(number)).map(({ path }) => path)),
		];
		return { message, files, hunks, ...(oids[at] === undefined ? {} : { oid: oids[at] }) };
	});
	return printed(rows.map(jsonLine).join(""));
}
