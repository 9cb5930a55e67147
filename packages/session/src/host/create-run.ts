/** Creates the run of a session on what its log holds now: the behaviors that every session has, and its features. */
import type { ToolGate } from "@tau/agent";
import type { Model } from "@tau/ai";

import { askTitle } from "../behaviors/ask-title.ts";
import { autoCompaction } from "../behaviors/auto-compaction.ts";
import { autoRetry } from "../behaviors/auto-retry.ts";
import { budgetGuard, noSpending, type Budget, type Spending } from "../behaviors/budget-guard.ts";
import { cacheKeepAlive } from "../behaviors/cache-keep-alive.ts";
import { collectGarbage } from "../behaviors/collect-garbage.ts";
import { credentialFeedback } from "../behaviors/credential-feedback.ts";
import { dateNotes } from "../behaviors/date-notes.ts";
import { foreignContent } from "../behaviors/foreign-content.ts";
import { gitBranch } from "../behaviors/git-branch.ts";
import { requestRecord } from "../behaviors/request-record.ts";
import { imageDescriptions } from "../behaviors/image-descriptions.ts";
import { idleCompaction } from "../behaviors/idle-compaction.ts";
import { noProgress } from "../behaviors/no-progress.ts";
import { persistence } from "../behaviors/persistence.ts";
import { providerConnection } from "../behaviors/provider-connection.ts";
import { selectionRecord } from "../behaviors/selection-record.ts";
import { sessionTitle } from "../behaviors/session-title.ts";
import { timeLimit } from "../behaviors/time-limit.ts";
import { SideQuestions } from "../side-questions/index.ts";
import { Compactor, type Handoff } from "../compaction/compactor.ts";
import { ContextControl } from "../context/index.ts";
import { KeySource, chosenForRole } from "@tau/config/models";
import { AgentSession } from "../run/agent-session.ts";
import type { AgentSessionOptions } from "../run/session-options.ts";
import type { Behavior } from "../run/behavior.ts";
import { UsageLedger, type UsageRecord } from "../run/usage-ledger.ts";
import { liveBudget, liveCompaction, liveRetry, retryHelp } from "./live-settings.ts";
import { modeRecord } from "./mode-record.ts";
import { interruptedAgents } from "./stored-agents.ts";
import { planModel } from "./plan-model.ts";
import type { RunContext, RunFeatures, SessionParts } from "./parts.ts";
import type { SessionHost } from "./session-host.ts";

/** The state that continues from the run before. */
export type RunState = Partial<
	Pick<AgentSessionOptions, "model" | "thinking" | "steeringMode" | "followUpMode" | "usage" | "prefix">
>;

export interface CreatedRun {
	session: AgentSession;
	/** The document from which a new session continues, written after other work has ended. */
	writeHandoff(instructions: string | undefined, after: Promise<void>): Promise<Handoff>;
	context: ContextControl;
	sideQuestions: SideQuestions;
	features: RunFeatures;
	/** What the run itself has used of its budget. */
	spending: Readonly<RunSpending>;
}

export interface RunSpending extends Spending {
	/** How long the session or its children have worked; what is done at the same time counts once. */
	readonly time: { workedMs: number };
}

export interface RunRequest {
	cwd: string;
	/** Gates of the session that opened this one. */
	gates: (() => Iterable<ToolGate>) | undefined;
	state: RunState;
}

export function createRun(
	parts: SessionParts,
	host: SessionHost,
	{ cwd, gates, state }: RunRequest,
): CreatedRun {
	const { settings, registry, log } = parts;
	const past = log.pastMessages();
	const keys = newKeys(parts);
	const current = (): Model => created.session?.model ?? parts.model;
	const compaction = Object.assign(liveCompaction(settings, parts.staysOpen, registry, current), {
		handOff: () => handOff(host, features),
		promoted: (model: Model, previous: Model) => recordPromotion(host, model, previous),
	});
	const sideQuestions = new SideQuestions(log);
	const contextControl = contextControlOf(host);
	const budget = liveBudget(settings, parts.budget);
	const spending = { ...noSpending(), time: { workedMs: 0 } };
	const compactor = new Compactor(log, compaction);
	const line = providerConnection(settings);
	const created: { session?: AgentSession } = {};
	const context = runContext(host, { cwd, log, keys, created, isResumed: !past.isEmpty });
	const features = parts.features(context);
	const { first, middle, last } = features.behaviors;
	const session = new AgentSession({
		model: parts.model,
		systemPrompt: features.systemPrompt,
		tools: features.tools,
		past,
		steeringMode: settings.get("steeringMode"),
		followUpMode: settings.get("followUpMode"),
		...(parts.thinking ? { thinking: parts.thinking } : {}),
		credentials: (model: Model) => keys.for(model),
		stream: parts.stream,
		sessionId: () => log.getSessionId(),
		options: { connection: line.connection },
		owns: features.owns,
		compactor,
		expand: features.expand,
		usage: new UsageLedger(() => log.spent(), usageRecorder(parts, keys, cwd)),
		policy: host.policy,
		clock: () => host.requests.clock(),
		...state,
		behaviors: [
			...(gates ? [inheritedGates(gates)] : []),
			...first,
			selectionRecord(log, () => settings.get("defaultThinkingLevel") ?? "off"),
			persistence(log),
			line,
			gitBranch(log, cwd),
			dateNotes(log),
			requestRecord(log, host.requests),
			...titleBehaviors(parts),
			credentialFeedback((provider, outcome) => keys.report(provider, outcome)),
			...limitBehaviors(host, budget, spending, gates !== undefined),
			noProgress(() => settings.get("loopDetection")),
			...(gates ? [] : mainBehaviors(host, parts, context)),
			...middle,
			imageDescriptions(log, (signal) => visionModel(registry, signal)),
			contextControl,
			cacheKeepAlive(log, { most: () => settings.get("cache.keepAlive") }),
			sideQuestions,
			autoCompaction(compactor, compaction),
			foreignContent(compactor),
			idleCompaction(compactor, compaction),
			...(parts.staysOpen && !gates ? [collectGarbage()] : []),
			autoRetry(liveRetry(settings), retryHelp(registry, settings)),
			...last,
		],
	});
	created.session = session;
	features.bind?.(session);
	return {
		session,
		writeHandoff: (...args) => compactor.handoff(...args),
		context: contextControl,
		sideQuestions,
		features,
		spending,
	};
}

/** Undefined where nobody keeps statistics. */
function usageRecorder(
	{ onUsage, log }: SessionParts,
	keys: KeySource,
	cwd: string,
): ((record: UsageRecord) => void) | undefined {
	if (!onUsage) return undefined;
	return (record) => {
		const isPaidByLogin = "provider" in record && keys.isSubscription(record.provider);
		onUsage({
			...record,
			session: log.getSessionId(),
			cwd,
			...(isPaidByLogin ? { isSubscription: true } : {}),
		});
	};
}

/** Of a session that no other one opened: the mode and the model of a child were chosen for its task. */
function mainBehaviors(
	host: SessionHost,
	{ registry, log }: SessionParts,
	{ isResumed }: RunContext,
): Behavior[] {
	return [modeRecord(host, log), planModel(host, registry), interruptedAgents(host, isResumed)];
}

interface ContextParts extends Pick<RunContext, "cwd" | "log" | "isResumed"> {
	keys: KeySource;
	created: { session?: AgentSession };
}

function runContext(host: SessionHost, { keys, created, ...parts }: ContextParts): RunContext {
	return {
		host,
		...parts,
		requests: host.requests,
		session() {
			if (!created.session) throw new Error("The session is still being created.");
			return created.session;
		},
		credentials: (model) => keys.for(model),
	};
}

function limitBehaviors(
	{ children }: SessionHost,
	budget: Budget,
	spent: RunSpending,
	isShared: boolean,
): Behavior[] {
	return [
		budgetGuard(budget, { spent, beside: () => children.spent, isShared }),
		timeLimit(budget, { time: spent.time, isBusy: () => children.open.length > 0 }),
	];
}

/** A session that is left ends its jobs, which is not for Tau to decide. */
async function handOff(host: SessionHost, { work: { jobs } }: RunFeatures): Promise<void> {
	if (jobs.running() > 0) throw new Error("background jobs are running.");
	await host.handoff(undefined, "threshold");
}

/** For the time being: a session that is resumed has its own model again. */
function recordPromotion(host: SessionHost, model: Model, { provider, id: modelId }: Model): void {
	host.log.appendModelChange(model.provider, model.id, "temporary");
	const event = { type: "model_changed", previous: { provider, modelId }, source: "set" } as const;
	void host.emit({ ...event, provider: model.provider, modelId: model.id });
}

/** Only a model that the user has set: it gets the images. */
async function visionModel(
	registry: SessionParts["registry"],
	signal: AbortSignal,
): Promise<Model | undefined> {
	const model = chosenForRole("vision", registry)?.model;
	if (!model?.input.includes("image")) return undefined;
	return (await registry.unlock(model.provider, signal)) === undefined ? model : undefined;
}

function contextControlOf(host: SessionHost): ContextControl {
	return new ContextControl({
		log: host.log,
		session: () => host.session,
		replace: (change) => host.move({ to: "branch", change }),
	});
}

function inheritedGates(gates: () => Iterable<ToolGate>): Behavior {
	return { name: "gates of the parent", attach: (session) => session.gateTools(gates) };
}

function newKeys({ store, registry, log, hasOwnKey, model, onNotice }: SessionParts): KeySource {
	return new KeySource({
		store,
		registry,
		sessionId: log.getSessionId(),
		...(hasOwnKey ? { overridden: model.provider } : {}),
		onNotice,
	});
}

/** With keys of their own: how a request for a title fares says nothing about the keys of the conversation. */
function titleBehaviors(parts: SessionParts): Behavior[] {
	const { title, log, registry, stream } = parts;
	return title ? [sessionTitle(log, askTitle({ registry, stream, keys: newKeys(parts), ...title }))] : [];
}
