/** Runs RPC mode: gives it a session that it can exchange for another, and the models of this machine. */
import type { Resources } from "@tau/extensions/resources";
import type { CompactionSettings } from "@tau/session";

import { processOutput } from "../../modes/output.ts";
import { compactionOf, runRpc, type RpcCompaction, type RpcHost } from "../../modes/rpc/index.ts";
import { UsageError } from "@tau/utils";
import type { Args } from "../args.ts";
import { complain } from "../complain.ts";
import { exitCodes } from "../exit-codes.ts";
import { LiveHost, type LiveHostParts } from "@tau/extensions/assembly";
import type { Interruption } from "../signals.ts";

export interface RpcParts extends LiveHostParts {
	/** What the sessions are made with; `enabled` may be switched. */
	compaction: CompactionSettings;
	interruption: Interruption;
	/** Skills and prompt templates that a client may call by name. */
	resources?: Resources | undefined;
}

/** What a client says comes over standard input, and nothing comes before it. */
export function rejectPrompts({ messages, files }: Args): void {
	const [word] = [...messages, ...files.map((file) => `@${file}`)];
	if (word !== undefined)
		throw new UsageError(`--mode rpc takes no prompt ("${word}"): send it as a command on standard input.`);
}

export async function serveRpc(parts: RpcParts): Promise<number> {
	const gone = new AbortController();
	const out = processOutput(process.stdout, () => gone.abort());
	await using host = new Host(parts);
	const signal = AbortSignal.any([parts.interruption.signal, gone.signal]);
	await runRpc({ host, input: Bun.stdin.stream(), out, signal });
	const problem = await out.settled();
	if (problem) complain(`the client cannot be written to: ${problem.message}`);
	return problem ? exitCodes.failed : (parts.interruption.exitCode ?? exitCodes.answered);
}

class Host extends LiveHost implements RpcHost {
	readonly compaction: RpcCompaction;
	readonly resources: Resources | undefined;

	constructor(parts: RpcParts) {
		super(parts);
		this.resources = parts.resources;
		this.compaction = compactionOf(parts.compaction, () => this.session);
	}
}
