/** Plan mode of a session: the tool that presents a plan is visible in it, and what an answer to the plan does. */
import type { RunContext } from "@tau/session/host";
import type { Behavior } from "@tau/session/run";
import type { ToolRegistry } from "@tau/tools/registry";
import type { PlanControl } from "@tau/tools/tool";
import { log } from "@tau/utils";

/** The tool that is only of use in this mode. */
export interface PlanTool {
	readonly name: string;
}

export function planControl({ host, requests }: Pick<RunContext, "host" | "requests">): PlanControl {
	return {
		get isOn() {
			return host.policy?.isReadOnly ?? false;
		},
		get nextMode() {
			return host.policy?.modeAfterPlan ?? "";
		},
		leave: () => host.policy?.leavePlan() ?? "",
		async edit(text, signal) {
			if (!requests.canAsk("dialog")) return undefined;
			const dialog = { method: "editor" as const, title: "Plan", prefill: text };
			const answer = await requests.ask("dialog", { dialog }, { signal });
			return answer && "value" in answer ? answer.value : undefined;
		},
		startFresh(prompt) {
			const start = async (): Promise<void> => {
				const parentSession = host.log.getSessionFile();
				const mode = host.policy?.mode;
				const moved = await host.move({ to: "new", parentSession });
				if (moved.kind !== "moved") return;
				if (mode && mode !== "full") host.policy?.setMode(mode);
				await host.submit({ text: prompt });
			};
			void start().catch((error: unknown) => {
				log.error("an approved plan was not started", { reason: String(error) });
				void host.notice(
					`The plan was not started: ${error instanceof Error ? error.message : String(error)}`,
				);
			});
		},
	};
}

export function planMode({ host }: Pick<RunContext, "host">, tools: ToolRegistry, tool: PlanTool): Behavior {
	const follow = (): void => tools.hide("mode", host.policy?.isReadOnly ? [] : [tool.name]);
	follow();
	return {
		name: "plan-mode",
		attach: () => host.policy?.onChange(follow) ?? { [Symbol.dispose]() {} },
	};
}
