/** Each change of a session: memory, log and clients together, or none of them. */
import { fittingLevel, type ThinkingLevel } from "@tau/ai";

import type { SettingPath } from "@tau/config/settings";
import type { SessionHost } from "./session-host.ts";
import { done, type ChangeOf, type Outcome, type SessionChange } from "./session-state.ts";

export async function applyChange(host: SessionHost, change: SessionChange): Promise<Outcome> {
	switch (change.type) {
		case "model":
			return setModel(host, change);
		case "thinking":
			return setLevel(host, change.level);
		case "name":
			return setName(host, change.name.trim());
		case "label":
			return setLabel(host, change.entryId, change.label?.trim());
		case "queueMode":
			return setQueueModes(host, change);
		case "tools":
			return hideTools(host, change);
		case "goal":
			host.work.setGoal(change.check);
			await host.emit({ type: "goal_changed", goal: host.work.goal ?? null });
			return done;
		case "todos":
			await host.emit({ type: "todos_changed", phases: [...(await host.work.setTodos(change.phases))] });
			return done;
		case "setting":
			return setSetting(host, change.path, change.value);
	}
}

async function setModel(
	host: SessionHost,
	{ model, by: source = "set", role }: ChangeOf<"model">,
): Promise<Outcome> {
	const { provider, id } = host.session.model;
	host.session.setModel(model, source);
	host.log.appendModelChange(model.provider, model.id, role);
	const level = setLevel(host, host.session.state.thinkingLevel);
	await host.emit({
		type: "model_changed",
		provider: model.provider,
		modelId: model.id,
		previous: { provider, modelId: id },
		source,
	});
	return level;
}

async function setLevel(host: SessionHost, level: ThinkingLevel): Promise<Outcome> {
	const { model, thinkingLevel: previous } = host.session.state;
	const fitting = fittingLevel(model, level);
	if (fitting === previous) return done;
	host.session.setThinkingLevel(fitting);
	host.log.appendThinkingLevelChange(fitting);
	await host.emit({ type: "thinking_level_changed", level: fitting, previous });
	return done;
}

async function setName(host: SessionHost, name: string): Promise<Outcome> {
	if (name === "") return { ok: false, reason: "A session name cannot be empty." };
	host.log.appendSessionInfo(name);
	await host.emit({ type: "session_info_changed", name });
	return done;
}

async function setLabel(host: SessionHost, entryId: string, label: string | undefined): Promise<Outcome> {
	if (!host.log.getEntry(entryId)) return { ok: false, reason: `The session has no entry ${entryId}.` };
	host.log.appendLabelChange(entryId, label);
	await host.emit({ type: "label_changed", entryId, ...(label ? { label } : {}) });
	return done;
}

async function hideTools(host: SessionHost, { layer, hidden }: ChangeOf<"tools">): Promise<Outcome> {
	const { tools } = host.session;
	tools?.hide(layer, hidden);
	await host.emit({ type: "tools_changed", hidden: [...(tools?.hidden("user") ?? [])] });
	return done;
}

async function setQueueModes(
	host: SessionHost,
	{ steering, followUp }: ChangeOf<"queueMode">,
): Promise<Outcome> {
	if (steering) await setSetting(host, "steeringMode", steering);
	if (followUp) await setSetting(host, "followUpMode", followUp);
	return done;
}

async function setSetting({ settings }: SessionHost, path: SettingPath, value: unknown): Promise<Outcome> {
	const outcome = await settings.setUnchecked(path, value, "session");
	return outcome.ok ? done : { ok: false, reason: outcome.reason };
}
