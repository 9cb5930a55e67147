/** Implements the actions of `pi.…`: they send messages, append entries and change options of the linked session. */
import { thinkingLevels, type Model } from "@tau/ai";
import type { CustomMessage } from "@tau/log";
import type { Prompt } from "@tau/session";
import { promptMessage } from "@tau/session/run";
import { assertOutcome } from "@tau/session/host";
import { settingPaths, type Settings } from "@tau/config/settings";

import type { OwnMessage } from "./event-types.ts";
import { plainData } from "../support/plain-data.ts";
import { registerProvider, unregisterProvider } from "../providers/providers.ts";
import { sanitizeContent } from "../support/sanitize-result.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import type { ExtensionActions, Sender } from "../host/runtime.ts";
import type { SendOptions, UserContent } from "./types.ts";
import { registerVirtualModel, unregisterVirtualModel } from "../providers/virtual-models.ts";

export function createActions(runner: ExtensionRunner): ExtensionActions {
	return { ...speaking(runner), ...keeping(runner), ...choosing(runner) };
}

type DeliveryOptions = Pick<ExtensionActions, "sendMessage" | "sendUserMessage">;

function speaking(runner: ExtensionRunner): DeliveryOptions {
	return {
		async sendMessage(message, options = {}, sender) {
			await deliver(runner, customMessage(message), options, sender);
		},
		async sendUserMessage(content, { deliverAs } = {}, sender) {
			const { host, session, handle } = runner.bound;
			const prompt = promptOf(content);
			if (session.isAnswering && session.isCommand(prompt)) {
				// It was queued after the answer, and may leave the session.
				await session.waitForIdle();
				await runner.runCommand(prompt);
				return;
			}
			if (!mayAsk(runner, sender))
				return mayStore(runner, sender) ? handle.deliver(promptMessage(prompt), "append") : undefined;
			// The default is to steer, as in pi.
			const admission = await host.submit(prompt, { as: deliverAs ?? "steer" });
			if (admission.kind === "refused") throw new Error(admission.reason);
			if (admission.kind === "begun" || admission.kind === "handled") await admission.done;
		},
	};
}

async function deliver(
	runner: ExtensionRunner,
	message: CustomMessage,
	options: SendOptions,
	sender: Sender | undefined,
): Promise<void> {
	const { session, handle } = runner.bound;
	const { deliverAs = "steer", triggerTurn = session.isAnswering || deliverAs === "aside" } = options;
	if (deliverAs === "nextTurn") runner.nextTurn.push(message);
	else if (!triggerTurn || !mayAsk(runner, sender)) {
		if (mayStore(runner, sender)) await handle.deliver(message, "append");
	} else if (session.isAnswering) await handle.deliver(message, deliverAs === "aside" ? "steer" : deliverAs);
	else await session.run([message]);
}

/** A program that uses the SDK knows what it does; an extension that never lets a run end is stopped and named. */
function mayAsk(runner: ExtensionRunner, sender: Sender | undefined): boolean {
	if (!sender) return true;
	const verdict = runner.turns.admit(!runner.bound.session.isAnswering);
	if (verdict === "too many" && !runner.turns.isReported) {
		runner.turns.isReported = true;
		const most = runner.bound.settings.get("extensionTurns");
		void runner.notify(
			`Extension ${sender.label} asked for ${most} answers in a row without a prompt or a tool call. Its messages are stored until your next prompt (setting extensionTurns).`,
		);
	}
	return verdict === "yes";
}

/** One that answers each message with another one is stopped and named, too. */
function mayStore(runner: ExtensionRunner, sender: Sender | undefined): boolean {
	if (!sender || runner.turns.mayStore()) return true;
	if (!runner.turns.isReported) {
		runner.turns.isReported = true;
		void runner.notify(
			`Extension ${sender.label} sent too many messages in a row. Further ones are dropped until your next prompt.`,
		);
	}
	return false;
}

/** An empty message is still a message; content that cannot be read would break the session, so it is sanitized. */
function validContent(content: unknown): CustomMessage["content"] {
	if (Array.isArray(content)) return sanitizeContent(content);
	return typeof content === "string" ? content : "";
}

export function customMessage({ customType, content, display, details }: OwnMessage): CustomMessage {
	return {
		role: "custom",
		customType: String(customType),
		content: validContent(content),
		display: display ?? true,
		...(details === undefined ? {} : { details: plainData(details) }),
		timestamp: Date.now(),
	};
}

function promptOf(content: UserContent): Prompt {
	if (typeof content === "string") return { text: content, source: "extension" };
	const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
	const images = content.flatMap((part) => (part.type === "image" ? [part] : []));
	return { text: text.trim(), source: "extension", ...(images.length > 0 ? { images } : {}) };
}

type Keeping = Pick<
	ExtensionActions,
	"appendEntry" | "setSessionName" | "getSessionName" | "setLabel" | "cwd"
>;

function keeping(runner: ExtensionRunner): Keeping {
	return {
		appendEntry(customType, data) {
			const { log, host } = runner.bound;
			const entryId = log.appendCustomEntry(customType, plainData(data));
			if (runner.entryRenderer(customType)) void host.emitToClients({ type: "entry_shown", entryId });
		},
		async setSessionName(name) {
			assertOutcome(await runner.bound.host.apply({ type: "name", name }));
		},
		getSessionName: () => runner.bound.log.getSessionName(),
		setLabel: (entryId, label) => void runner.bound.host.apply({ type: "label", entryId, label }),
		cwd: () => runner.bound.cwd,
	};
}

type Choosing = Omit<ExtensionActions, keyof DeliveryOptions | keyof Keeping>;

function choosing(runner: ExtensionRunner): Choosing {
	return {
		getActiveTools: () => runner.tools.active.map(({ name }) => name),
		getAllTools: () => runner.tools.info(),
		setActiveTools(names) {
			runner.tools.activate(names);
			runner.pendingPrompt?.useTools(runner.bound.promptOptions());
		},
		toolsChanged: () => runner.tools.refresh(),
		getCommands: () => runner.commands.info(),
		getSettings: () => settingsOf(runner.bound.settings),
		setModel: (model) => chooseModel(runner, model),
		getThinkingLevel: () => runner.session.state.thinkingLevel,
		setThinkingLevel(level) {
			if (!thinkingLevels.includes(level))
				throw new TypeError(`There is no thinking level ${String(level)}.`);
			void runner.bound.host.apply({ type: "thinking", level });
		},
		serviceTiers: () => runner.tiers,
		contextOf: (extension) => runner.contextOf(extension),
		registerProvider: (name, config) => registerProvider(runner.bound.registry, name, config),
		unregisterProvider: (name) => unregisterProvider(runner.bound.registry, name),
		registerVirtualModel: (definition) =>
			registerVirtualModel(runner.bound.registry, definition, runner.routes),
		unregisterVirtualModel: (provider, id) => unregisterVirtualModel(runner.bound.registry, provider, id),
	};
}

/** The setting `a.b` belongs to the group `a`. */
function settingsOf(settings: Pick<Settings, "get">): Record<string, unknown> {
	const all: Record<string, unknown> = {};
	for (const path of settingPaths) {
		const value: unknown = settings.get(path);
		if (value === undefined) continue;
		const steps = path.split(".");
		const name = steps.pop() ?? path;
		let group = all;
		for (const step of steps) group = (group[step] ??= {}) as Record<string, unknown>;
		group[name] = structuredClone(value);
	}
	return all;
}

async function chooseModel({ bound: { registry, host } }: ExtensionRunner, model: Model): Promise<boolean> {
	const problem = await registry.unlock(model.provider);
	if (problem !== undefined || !registry.isAvailable(model)) return false;
	return (await host.apply({ type: "model", model })).ok;
}
