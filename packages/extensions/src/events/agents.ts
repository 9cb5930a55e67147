/** Lets extensions choose the models of agents, or forbid an agent, before it is opened. */
import type { AgentHook } from "@tau/session/host";

import type { ExtensionRunner } from "../host/runner.ts";
import { limits } from "../support/limits.ts";
import { HandlerFailed } from "./dispatcher.ts";

export function agentHook(runner: () => ExtensionRunner): AgentHook {
	return {
		async before({ id, type }, { names, role }) {
			const { events } = runner();
			if (!events.has("before_subagent_spawn")) return undefined;
			let block: string | undefined;
			let chosen: { model: string; note: string | undefined } | undefined;
			const asking = events.ask(
				"before_subagent_spawn",
				() => ({
					type: "before_subagent_spawn",
					agent: type,
					invocationKind: "task",
					...(role === undefined ? {} : { modelRole: role }),
					patterns: [...names],
					spawnKey: id,
				}),
				({ model, block: isBlocked, reason, note }) => {
					if (isBlocked) block ??= reason ?? `An extension does not allow the agent ${type}.`;
					if (model !== undefined) chosen = { model: [model].flat().join(","), note };
					return undefined;
				},
				{ failClosed: true, limitMs: limits.handlerMs },
			);
			try {
				await asking;
			} catch (error) {
				if (!(error instanceof HandlerFailed)) throw error;
				return { block: `The agent was not started: ${error.message}` };
			}
			if (block !== undefined) return { block };
			if (chosen?.note) await runner().notify(`Agent ${id}: ${chosen.note}`);
			return { model: chosen?.model };
		},
	};
}
