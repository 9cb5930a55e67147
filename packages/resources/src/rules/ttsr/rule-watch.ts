/** Follows a session for its rules: which rule an answer triggers, what is injected, and when. */
import type { AgentToolResult, FrozenCall } from "@tau/agent";
import type { PathMatcher } from "@tau/sys";
import type { SessionManager } from "@tau/log";
import type { SessionEvent, SessionHandle, Rule } from "@tau/session/run";

import type { TtsrOptions, WatchedEvent } from "./behavior.ts";
import { AnswerWatch, type Sightings } from "./answer-watch.ts";
import { pathsOf } from "./call-text.ts";
import { Injections } from "./injections.ts";
import { readGlobs, type StreamSource } from "./scope.ts";
import { StreamRules } from "./stream-rules.ts";
import { injectionType, ruleMessage, sayRules } from "./words-for-rules.ts";

export class RuleWatch {
	readonly #session: SessionHandle;
	readonly #options: TtsrOptions;
	readonly #rules: StreamRules;
	readonly #byFile: readonly { rule: Rule; files: readonly PathMatcher[] }[];
	readonly #injections: Injections;
	/** Rules to inject with the result of a call, or with the next answer. */
	readonly #byCall = new Map<string, Rule[]>();
	readonly #afterAnswer: Rule[] = [];
	readonly #reported = new Set<string>();
	#answer: AnswerWatch | undefined;

	constructor(session: SessionHandle, options: TtsrOptions) {
		this.#session = session;
		this.#options = options;
		this.#rules = new StreamRules(options.stream, options.cwd);
		this.#byFile = options.byFile.map((rule) => ({
			rule,
			files: readGlobs(rule.globs ?? [], (problem) => this.#warn(`Rule ${rule.name}: ${problem}`)),
		}));
		this.#injections = new Injections(options.modes);
		for (const problem of [...(options.notices ?? []), ...this.#rules.problems]) this.#warn(problem);
	}

	onEvent(event: WatchedEvent): void | Promise<void> {
		switch (event.type) {
			case "agent_start":
				// The user may have navigated to another branch since.
				return this.#injections.restore(injectedIn(this.#options.log));
			case "turn_start":
				this.#answer = this.#rules.isEmpty ? undefined : this.#newAnswer();
				return undefined;
			case "message_update": {
				const sightings = this.#answer?.onEvent(event.assistantMessageEvent, event.message);
				if (sightings instanceof Promise) return sightings.then((found) => found && this.#inject(found));
				return sightings && this.#inject(sightings);
			}
			case "message_end":
				return this.#messageEnd(event);
			case "turn_end":
				this.#injections.turnEnded();
				for (const name of this.#rules.spent)
					this.#warn(`Rule ${name}: a condition takes too long and was disabled.`);
				return this.#dropCalls();
			case "agent_end":
				return this.#injections.forgetPending();
		}
	}

	/** Prepends the rules that its call or its file triggered to a result. */
	remind(call: FrozenCall, result: AgentToolResult): AgentToolResult | undefined {
		const broken = this.#byCall.get(call.id) ?? [];
		this.#byCall.delete(call.id);
		const about = this.#rulesAbout(call);
		if (broken.length + about.length === 0) return undefined;
		this.#markInjected([...broken, ...about].map(({ name }) => name));
		if (broken.length > 0) this.#session.notice("info", reminded(broken));
		const text = [sayRules(broken, "toolReminder"), sayRules(about, "fileRule")].filter(Boolean).join("\n\n");
		return { ...result, content: [{ type: "text", text }, ...result.content] };
	}

	#newAnswer(): AnswerWatch {
		return new AnswerWatch({
			rules: this.#rules,
			mayInject: ({ rule }) => this.#injections.mayInject(rule),
			onProblem: (problem) => this.#warn(problem),
		});
	}

	async #inject({ rules: entries, source, callId }: Sightings): Promise<void> {
		const rules = entries.map(({ rule }) => rule);
		for (const rule of rules) this.#injections.expect(rule);
		if (!this.#interrupt(rules, source)) {
			if (callId === undefined) this.#afterAnswer.push(...rules);
			else this.#byCall.set(callId, [...(this.#byCall.get(callId) ?? []), ...rules]);
		}
		// The answer is already stopped, however long the listeners take.
		await this.#session.emit({ type: "ttsr_triggered", rules });
	}

	/** If one rule may interrupt, the others are injected with it. */
	#interrupt(rules: readonly Rule[], { kind }: StreamSource): boolean {
		const { interruptMode, contextMode } = this.#options.modes();
		const interrupts = (rule: Rule): boolean => {
			const mode = rule.interruptMode ?? interruptMode;
			return mode === "always" || mode === (kind === "tool" ? "tool-only" : "prose-only");
		};
		if (!rules.some(interrupts)) return false;
		return this.#session.interrupt({
			reason: `Interrupted by the ${namesOf(rules)}.`,
			discard: rules.some((rule) => (rule.contextMode ?? contextMode) === "discard"),
			message: ruleMessage(rules, "interrupt"),
		});
	}

	async #messageEnd(event: Extract<SessionEvent, { type: "message_end" }>): Promise<void> {
		const { message } = event;
		if (message.role === "custom" && message.customType === injectionType)
			return this.#markInjected(namesIn(message.details));
		if (message.role !== "assistant") return;
		const rules = this.#afterAnswer.splice(0);
		if (event.interrupted || message.stopReason === "error" || message.stopReason === "aborted") {
			this.#injections.forget(rules.map(({ name }) => name));
			return this.#dropCalls();
		}
		if (rules.length === 0) return;
		const hasCalls = message.content.some(({ type }) => type === "toolCall");
		this.#session.notice("info", reminded(rules));
		await this.#session.deliver(ruleMessage(rules, "followUp"), hasCalls ? "steer" : "followUp");
	}

	/** Calls without a result: the rules that they triggered may be triggered again. */
	#dropCalls(): void {
		for (const rules of this.#byCall.values()) this.#injections.forget(rules.map(({ name }) => name));
		this.#byCall.clear();
	}

	#rulesAbout(call: FrozenCall): Rule[] {
		if (this.#byFile.every(({ rule }) => this.#injections.wasInjected(rule))) return [];
		const paths = this.#rules.shownPaths(filesOf(call));
		return this.#byFile.flatMap(({ rule, files }) => {
			const isAbout = files.some((is) => paths.some((path) => is(path)));
			return isAbout && !this.#injections.wasInjected(rule) ? [rule] : [];
		});
	}

	#markInjected(names: string[]): void {
		this.#injections.markInjected(names);
		this.#options.log.appendTtsrInjection(names);
	}

	/** Reports each problem once. */
	#warn(message: string): void {
		if (this.#reported.has(message)) return;
		this.#reported.add(message);
		this.#session.notice("warning", message);
	}
}

/** A tool that does not declare the files it touches is judged by the names of its arguments. */
function filesOf({ name, tool, touches, arguments: args }: FrozenCall): readonly string[] {
	if (!tool.touches) return pathsOf(name, args);
	return touches.flatMap((touch) => ("path" in touch ? [touch.path] : []));
}

/** The rules that were injected on the current branch. */
function injectedIn(log: SessionManager): string[] {
	const ids = log.getBranchHeads().flatMap(({ type, id }) => (type === "ttsr_injection" ? [id] : []));
	return ids.flatMap((id) => {
		const entry = log.getEntry(id);
		return entry?.type === "ttsr_injection" ? namesIn({ rules: entry.injectedRules }) : [];
	});
}

/** The log is untrusted, so the entry is validated. */
function namesIn(details: unknown): string[] {
	const rules =
		typeof details === "object" && details !== null && "rules" in details ? details.rules : undefined;
	return Array.isArray(rules) ? rules.filter((name) => typeof name === "string") : [];
}

function namesOf(rules: readonly Rule[]): string {
	const names = rules.map(({ name }) => name).join(", ");
	return rules.length === 1 ? `rule ${names}` : `rules ${names}`;
}

function reminded(rules: readonly Rule[]): string {
	return `Reminded the model of the ${namesOf(rules)}.`;
}
