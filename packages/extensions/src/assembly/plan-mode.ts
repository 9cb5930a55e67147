/** Plan mode of a session: the tool that presents a plan is visible in it, and the model of the role `plan` makes it. */
import type { Model } from "@tau/ai";
import type { RunContext } from "@tau/session/host";
import { followRole, roleModel, selector, type ModelRegistry } from "@tau/session/models";
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

export function planMode(
	{ host }: Pick<RunContext, "host">,
	tools: ToolRegistry,
	tool: PlanTool,
	registry: ModelRegistry,
): Behavior {
	const follow = (): void => tools.hide("mode", host.policy?.isReadOnly ? [] : [tool.name]);
	follow();
	/** The model of the conversation, while that of the role takes its place. */
	let before: { own: Model; plan: Model } | undefined;
	const changeModel = async (isPlanning: boolean): Promise<void> => {
		const { model } = host.session.state;
		if (!isPlanning) {
			const back = before && selector(before.plan) === selector(model) ? before.own : undefined;
			before = undefined;
			if (back) await host.apply({ type: "model", model: back });
			return;
		}
		// A model that only stands in for the role is not worth a change.
		const isSet = ["plan", "slow"].some(
			(role) => followRole(role, registry.settings.roles).kind === "pattern",
		);
		const plan = isSet ? roleModel("plan", registry, model) : undefined;
		if (!plan || selector(plan) === selector(model)) return;
		before = { own: model, plan };
		await host.apply({ type: "model", model: plan, role: "plan" });
	};
	return {
		name: "plan-mode",
		attach: () =>
			host.policy?.onChange((mode, previous) => {
				follow();
				if (mode !== "plan" && previous !== "plan") return;
				void changeModel(mode === "plan").catch((error: unknown) => void host.notice(String(error)));
			}) ?? { [Symbol.dispose]() {} },
	};
}
