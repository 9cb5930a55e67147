/** What each command does. */

import { nextLevel, type ImageContent, type Model } from "@tau/ai";
import { refuseUnknown } from "@tau/extensions/prompt-templates";
import type { Prompt } from "@tau/session";
import { exportHtml } from "@tau/session/export";
import {
	cycleModel,
	useLevel,
	useModel,
	Cancelled,
	Refusal,
	clone,
	fork,
	forkMessages,
	newSession,
	switchSession,
	sessionStats,
} from "@tau/session/run";

import type { CommandType, RpcCommandOf } from "./commands.ts";
import type { Desk } from "./desk.ts";
import type { RpcCompaction } from "./host.ts";
import type { RpcBashResult, RpcModel, RpcResults, RpcSessionState } from "./protocol.ts";
import { resourceCommands } from "./resource-commands.ts";

/** A handler that throws has done nothing; the client is told why. */
export const handlers: {
	readonly [T in CommandType]: (
		command: RpcCommandOf<T>,
		desk: Desk,
	) => RpcResults[T] | Promise<RpcResults[T]>;
} = {
	prompt,
	steer: async (command, { host: { session } }) => session.steer(await session.expand(promptOf(command))),
	follow_up: async (command, { host: { session } }) =>
		session.followUp(await session.expand(promptOf(command))),
	abort: (_, { conversation }) => conversation.stop(),
	new_session: async ({ parentSession }, desk) => {
		return { cancelled: await isCancelled(newSession(desk, parentSession)) };
	},
	get_state: async (_, desk) => {
		await desk.conversation.settled();
		return stateOf(desk);
	},
	get_messages: (_, { host }) => ({ messages: host.session.state.messages }),
	set_model: async ({ provider, modelId }, desk) => {
		const model = await desk.host.models.ready(provider, modelId);
		useModel(desk.host, model);
		return publicModel(model);
	},
	cycle_model: async (_, { host }) => {
		const next = await cycleModel(host);
		if (!next) return null;
		const { thinkingLevel } = host.session.state;
		return { model: publicModel(next.model), thinkingLevel, isScoped: next.isScoped };
	},
	get_available_models: (_, { host }) => ({ models: host.models.available().map(publicModel) }),
	set_thinking_level: ({ level }, desk) => useLevel(desk.host, level),
	cycle_thinking_level: (_, desk) => {
		const { model, thinkingLevel } = desk.host.session.state;
		const level = nextLevel(model, thinkingLevel);
		if (level === undefined) return null;
		useLevel(desk.host, level);
		return { level };
	},
	set_steering_mode: ({ mode }, { host }) => host.session.setQueueModes({ steering: mode }),
	set_follow_up_mode: ({ mode }, { host }) => host.session.setQueueModes({ followUps: mode }),
	compact: ({ customInstructions }, desk) => compactionOf(desk).compact(customInstructions),
	set_auto_compaction: ({ enabled }, desk) => {
		compactionOf(desk).isAutomatic = enabled;
	},
	set_auto_retry: ({ enabled }, { host }) => {
		host.isAutoRetryOn = enabled;
	},
	abort_retry: (_, { conversation }) => conversation.abortRetry(),
	bash: runBash,
	abort_bash: (_, { bash }) => void bash.stop(),
	get_session_stats: (_, { host }) => sessionStats(host),
	export_html: async ({ outputPath }, { host }) => ({ path: await exportHtml(host.log, outputPath) }),
	switch_session: async ({ sessionPath }, desk) => {
		return { cancelled: await isCancelled(switchSession(desk, sessionPath)) };
	},
	fork: async ({ entryId }, desk) => {
		let text = "";
		const forking = fork(desk, entryId).then((said) => void (text = said));
		return { cancelled: await isCancelled(forking), text };
	},
	clone: async (_, desk) => {
		return { cancelled: await isCancelled(clone(desk)) };
	},
	get_fork_messages: (_, desk) => ({ messages: forkMessages(desk) }),
	get_last_assistant_text: (_, { host }) => ({ text: lastText(host.session.state.messages) }),
	set_session_name: async ({ name: given }, { host }) => {
		const name = given.trim();
		if (name === "") throw new Refusal("A session name cannot be empty.");
		host.log.appendSessionInfo(name);
		await host.session.tell({ type: "session_info_changed", name });
	},
	get_commands: (_, { host }) => ({
		commands: [
			...(host.extensions?.runner.commands.info() ?? []).map((each) => ({
				...each,
				sourceInfo: { ...each.sourceInfo },
			})),
			...resourceCommands(host.resources),
		],
	}),
};

/** An extension may say no to it: that is an answer, not a failure. */
async function isCancelled(work: Promise<void>): Promise<boolean> {
	try {
		await work;
		return false;
	} catch (error) {
		if (error instanceof Cancelled) return true;
		throw error;
	}
}

async function runBash(
	{ command }: RpcCommandOf<"bash">,
	{ bash: desk, host }: Desk,
): Promise<RpcBashResult> {
	const cwd = host.log.getCwd();
	const instead = await host.extensions?.userBash({ command, cwd, excludeFromContext: false });
	return instead?.result
		? desk.keep(command, instead.result)
		: desk.run(command, cwd, host.env, instead?.operations);
}

async function prompt(command: RpcCommandOf<"prompt">, desk: Desk): Promise<void> {
	const { host, conversation } = desk;
	const said = promptOf(command);
	// An extension that hears of prompts may know what to do with it.
	if (!host.extensions?.runner.events.has("input")) await refuseUnknown(said.text, host.resources);
	await conversation.settled();
	if (!conversation.isBusy || host.session.isCommand(said)) {
		await conversation.accept(said);
		return;
	}
	const { streamingBehavior } = command;
	if (!streamingBehavior)
		throw new Refusal(
			'A prompt is being answered: say streamingBehavior "steer" or "followUp", or abort it.',
		);
	const queued = await host.session.input({ ...said, streamingBehavior });
	if (queued && streamingBehavior === "steer") host.session.steer(queued);
	else if (queued) host.session.followUp(queued);
}

function promptOf({
	message,
	images = [],
}: {
	message: string;
	images?: ImageContent[] | undefined;
}): Prompt {
	if (message.trim() === "" && images.length === 0) throw new Refusal("The message is empty.");
	return images.length > 0 ? { text: message, images } : { text: message };
}

function stateOf({ host, conversation }: Desk): RpcSessionState {
	const { session, log } = host;
	const { model, thinkingLevel, messages, steering, followUps, steeringMode, followUpMode } = session.state;
	const sessionFile = log.getSessionFile();
	const sessionName = log.getSessionName();
	return {
		model: publicModel(model),
		thinkingLevel,
		isStreaming: conversation.isBusy,
		isCompacting: host.compaction?.isRunning ?? false,
		steeringMode,
		followUpMode,
		...(sessionFile === undefined ? {} : { sessionFile }),
		sessionId: log.getSessionId(),
		...(sessionName === undefined ? {} : { sessionName }),
		autoCompactionEnabled: host.compaction?.isAutomatic ?? false,
		autoRetryEnabled: host.isAutoRetryOn,
		messageCount: messages.length,
		pendingMessageCount: steering.length + followUps.length,
	};
}

function publicModel({ headers: _, ...model }: Model): RpcModel {
	return model;
}

function lastText(messages: Desk["host"]["session"]["state"]["messages"]): string | null {
	const answer = messages.findLast((message) => message.role === "assistant");
	if (answer?.role !== "assistant") return null;
	return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function compactionOf({ host }: Desk): RpcCompaction {
	if (!host.compaction) throw new Refusal("This conversation cannot be compacted.");
	return host.compaction;
}
