/** After an edit: formats what it wrote, and adds the errors that it introduced; what servers find later follows as a note. */
import type { FrozenCall } from "@tau/agent";
import type { Behavior } from "@tau/session/run";
import { onDispose } from "@tau/utils";

import type { ToolEnv } from "@tau/tools/tool";
import type { Checks } from "./edit-checks.ts";

/** The checks are loaded at the first edit: most of what speaks to language servers comes with them. */
export function editDiagnostics(env: ToolEnv): Behavior {
	return {
		name: "edit-diagnostics",
		attach(session) {
			let loading: Promise<Checks> | undefined;
			let isEnded = false;
			let checks: Checks | undefined;
			const load = async (): Promise<Checks> => {
				const loaded = await import("./edit-checks.ts");
				checks = new loaded.Checks(env, session);
				if (isEnded) checks.stop();
				return checks;
			};
			const owned = new DisposableStack();
			owned.use(
				session.gateTools({
					name: "language servers",
					judge: async (call) => {
						if (checksEdits(env) && writes(call)) await (await (loading ??= load())).begin(call);
						return undefined;
					},
					change: async (call, result, signal) => {
						if (!writes(call) || !(loading || formatsEdits(env))) return undefined;
						return await (await (loading ??= load())).change(call, result, signal);
					},
				}),
			);
			owned.use(
				session.onBefore(["agent_end"], async () => {
					if (!session.isAborted) await checks?.settle();
				}),
			);
			owned.use(
				onDispose(() => {
					isEnded = true;
					checks?.stop();
				}),
			);
			return owned;
		},
	};
}

function writes(call: FrozenCall): boolean {
	// What a call touches is worked out when it is first asked for: not for those that read.
	if (call.tool.approval !== "write") return false;
	return call.touches.some(({ kind }) => kind === "write" || kind === "delete");
}

function checksEdits({ settings }: ToolEnv): boolean {
	return settings.get("lsp.enabled") && settings.get("lsp.diagnosticsOnWrite");
}

function formatsEdits({ settings }: ToolEnv): boolean {
	return settings.get("lsp.enabled") && settings.get("lsp.formatOnWrite");
}
