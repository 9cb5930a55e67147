/** The tool `tau`: runs a session on a prompt, and answers with what the model says at the end. */
import { builtinTools } from "@tau/integrations/builtin";
import type { SessionHost } from "@tau/session/host";
import { defineTool, errorResult, textResult, type BuiltinTool } from "@tau/tools/tool";
import { stripControls } from "@tau/utils";
import { z } from "zod";

import { runPrint, textPrinter, type PrintOutcome } from "../../../modes/print/index.ts";
import prompt from "./tau.md" with { type: "text" };

export interface TauCall {
	toolCallId: string;
	/** The id of the session to continue. */
	session?: string | undefined;
	model?: string | undefined;
}

export interface TauSession extends AsyncDisposable {
	host: SessionHost;
	/** Runs before the prompt: extensions start. */
	prepare(): Promise<void>;
}

/** Rejects when the session cannot start as requested: no such session or model, no key. */
export type OpenTauSession = (request: TauCall) => Promise<TauSession>;

export function tauTool(open: OpenTauSession): BuiltinTool {
	return defineTool({
		name: "tau",
		label: "Tau",
		prompt,
		concurrency: "shared",
		// A prompt changes nothing by itself: each call of the session is judged by the session's own policy.
		approval: "read",
		parameters: z.object({
			prompt: z.string().min(1).describe("the whole task"),
			session: z
				.string()
				.regex(/^[a-z\d][\w-]*$/i)
				.optional()
				.describe("id of the conversation to continue"),
			model: z.string().min(1).optional().describe("another model than the configured one"),
		}),
		async execute({ prompt: text, session, model }, { toolCallId, signal, update }) {
			await using opened = await open({ toolCallId, session, model });
			const { host, prepare } = opened;
			let answer = "";
			const printer = textPrinter({
				out: { isTerminal: false, write: (part) => void (answer += part) },
				err: { isTerminal: true, write: (line) => update(textResult(stripControls(line))) },
				describeCall: (name, args) =>
					builtinTools.find((tool) => tool.name === name)?.describeCall(args) ?? name,
			});
			const outcome = await runPrint(host, [{ text }], printer, signal, prepare);
			const problem = problemOf(outcome);
			const { id, file } = host.state;
			const parts = [answer.trimEnd(), problem, file === undefined ? undefined : `(session ${id})`];
			const whole = stripControls(parts.filter(Boolean).join("\n\n"));
			return problem === undefined ? textResult(whole) : errorResult(whole);
		},
		view: { call: ({ prompt: text = "" }) => text },
	});
}

function problemOf(outcome: PrintOutcome): string | undefined {
	if (outcome.kind === "answered") return undefined;
	if (outcome.kind === "interrupted") return "Tau was interrupted.";
	return `Tau failed: ${outcome.kind === "failed" ? outcome.failure.message : outcome.reason}`;
}
