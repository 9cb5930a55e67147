/** Decides about tool calls: takes them apart, judges the parts, and asks the user where that is needed. */
import { resolve } from "node:path";

import type { Decision, FrozenCall, Verdict } from "@tau/agent";
import { expandHome, showControls } from "@tau/utils";
import type { AnswerOf, GrantInfo } from "@tau/wire";

import {
	approvalFields,
	grantSubjects,
	hostFields,
	type HostUser,
	hostSubjects,
	outsideFields,
	privateFields,
	type ApprovalFields,
	type PrivateTarget,
} from "./approval-request.ts";
import { amendedArguments } from "./amend.ts";
import { callItems, commandOf, execOf, fileItem, withTouches, type CallItem } from "./call-items.ts";
import { CallPaths, type PathJudge } from "./call-paths.ts";
import {
	fetchSubject,
	Grants,
	grantText,
	type Grant,
	type GrantSubject,
	type WholeCommand,
} from "./grants.ts";
import { foreseenAsks } from "./foreseen.ts";
import {
	isFirm,
	isUserHost,
	isUserUrl,
	judgeItem,
	type Ask,
	type JudgeContext,
	type Opinion,
} from "./judge.ts";
import { limits } from "./limits.ts";
import { refusedWrites } from "./merge-writes.ts";
import { openDirectories } from "./planted-programs.ts";
import type { MergeWrites, Policy, PolicyParts } from "./policy.ts";
import { PortRequests } from "./port-requests.ts";
import { mayBeSecret } from "./protected-paths.ts";
import { isWithin, realPath } from "./real-path.ts";
import { covers, previewOf, sinceApproved, type Question } from "./call-question.ts";
import { begin, itemsBeside } from "./name-use.ts";
import { collectRules, type CollectedRules } from "./rule-files.ts";
import { declined, denied, readOnly, refusalNotice, unanswered, unsteady } from "./verdict-texts.ts";

export class CallJudge implements Disposable {
	readonly #policy: Policy;
	readonly #parts: PolicyParts;
	readonly #grants: Grants;
	#rules: (CollectedRules & { cwd: string }) | undefined;
	/** Hosts that the user has said yes to, once or longer. */
	readonly #approvedHosts = new Set<string>();
	/** Until when further connections to a host and port belong to one that the user has said yes to. */
	readonly #recent = new Map<string, number>();
	/** Commands that may run outside the sandbox once. */
	readonly #outsideOnce = new Set<string>();
	/** The command that was allowed last, for questions about a connection. */
	#lastCommand: string | undefined;
	/** Ports that cross the sandbox. */
	readonly ports: PortRequests;
	/** What the user has made of the call that was asked about last. */
	#amended: { id: string; arguments: Record<string, unknown> } | undefined;
	/** Problems that were shown already. */
	readonly #reported = new Set<string>();

	constructor(policy: Policy, parts: PolicyParts) {
		this.#policy = policy;
		this.#parts = parts;
		const { options, cwd, sessionId, agent } = parts;
		const on = (name: string): string => {
			const machine = options.remote?.()?.machine;
			return machine === undefined ? name : `ssh:${machine}:${name}`;
		};
		const project = { cwd: () => on(cwd()), sessionId: () => on(sessionId()) };
		this.#grants = new Grants({ directory: options.grantsDir, ...project }, agent);
		this.ports = new PortRequests({
			grants: this.#grants,
			agent: this.#agentName,
			ask: (fields, subject, signal) => this.#askFor(fields, [subject], "sandbox", signal),
		});
	}

	/** The settings have changed. */
	reload(): void {
		this.#rules = undefined;
	}

	/** While a question is open, links, files, the mode and rules may change: what was approved is judged anew. */
	async judge(given: FrozenCall, signal: AbortSignal): Promise<Verdict> {
		let approved: Question | undefined;
		const isAmended = this.#takeAmended(given);
		for (let round = 0; round < limits.approvalRounds; round++) {
			const call = approved ? withTouches(given) : given;
			const { items, begun } = await this.#items(call, signal);
			const opinions = this.#opinions(call, items);
			const refused = refusalOf(call.name, opinions);
			if (refused) return refused;
			this.#lastCommand = execOf(call)?.command ?? this.#lastCommand;
			const paths = new CallPaths(items, this.#pathJudge(call));
			const question = await this.#question(call, items, opinions, paths, signal);
			const isAnswered = isAmended || (approved !== undefined && covers(approved, question));
			if (question && !isAnswered) {
				const verdict = await this.#ask(call, question, approved, signal);
				if (verdict.allow !== true) return verdict;
				if (verdict.amended) return { ...verdict, within: paths };
				if (verdict.asked) {
					approved = question;
					continue;
				}
			}
			// A command that has begun since may have changed links.
			if (!begin(call, this.#policy.running, { items, begun, paths, signal })) continue;
			if (isAmended) this.#approve(question?.asks ?? []);
			if (isAnswered) return { allow: true, asked: true, within: paths };
			if (!question) this.#useGrants(opinions);
			if (!question && this.#needsContainer(call, items)) this.#parts.options.onContained?.();
			return { allow: true, within: paths };
		}
		return unsteady(given.name);
	}

	async #items(call: FrozenCall, signal: AbortSignal): ReturnType<typeof itemsBeside> {
		const { options } = this.#parts;
		const roots = this.#roots();
		const itemsNow = (): Promise<CallItem[]> =>
			callItems(call, {
				home: options.places.home,
				there: options.remote?.(),
				signal,
				isOwn: (root) => isWithin(realPath(this.#parts.cwd()), root) && options.isTrusted(root),
				searchPath: options.places.searchPath,
				roots,
				openDirectories: (cwd, ofShell = []) =>
					openDirectories([...options.places.searchPath, ...ofShell], cwd, roots),
			});
		if (this.#isBeside) return itemsBeside(call, this.#policy.running, signal, itemsNow);
		return { items: await itemsNow(), begun: Infinity };
	}

	/** Whether commands are judged by what else runs: nothing contains them here. */
	get #isBeside(): boolean {
		const { boundary, mode } = this.#policy;
		return boundary === "none" && mode !== "full" && !this.#parts.options.remote?.();
	}

	#useGrants(opinions: readonly Opinion[]): void {
		for (const opinion of opinions)
			if (opinion.verdict === "allow" && opinion.grant) this.#grants.use(opinion.grant);
	}

	/** Undefined if the user need not be asked. */
	async #question(
		call: FrozenCall,
		items: readonly CallItem[],
		opinions: readonly Opinion[],
		paths: CallPaths,
		signal: AbortSignal,
	): Promise<Question | undefined> {
		const forced = call.askFor ?? [];
		const asked = opinions.flatMap((opinion, index) => {
			const isNeeded = opinion.verdict === "ask" && (call.allowedBy === undefined || isFirm(opinion));
			return isNeeded ? [{ opinion, item: items[index] }] : [];
		});
		if (asked.length === 0 && forced.length === 0) return undefined;
		const canShow = this.#parts.requests.canAsk("approval");
		const preview = canShow ? await previewOf(call, paths, signal) : undefined;
		paths.shown();
		const about = asked.map(({ opinion, item }) => JSON.stringify([opinion.reason, item]));
		const needed = asked.map(({ opinion }) => opinion);
		return { asks: [...needed, ...this.#foreseen(call, needed)], forced, about, paths, preview };
	}

	/** What a call reaches beside what it names is judged when it gets there. */
	#pathJudge(call: FrozenCall): PathJudge {
		return {
			opinionOf: (kind, real) => {
				if (kind === "read")
					return this.isHidden(real)
						? { verdict: "deny", reason: "it may not be read unasked" }
						: { verdict: "allow" };
				const item: CallItem = { kind, paths: [real], text: real, isTree: false, byCommand: false };
				return judgeItem(item, this.#context(call.name, commandOf(call), call.tool.aliases));
			},
			isUnanswered: !this.#parts.requests.canAsk("approval") && !this.#isAskChosen,
		};
	}

	/** What the sandbox would ask about while the command runs. */
	#foreseen(call: FrozenCall, asks: readonly Ask[]): Ask[] {
		if (this.#policy.boundary !== "sandbox") return [];
		const context = this.#context("network", undefined);
		return foreseenAsks(asks, execOf(call), {
			roots: context.roots,
			project: this.#parts.cwd(),
			isAsked: (host) => judgeItem({ kind: "fetch", url: host, host }, context).verdict === "ask",
		});
	}

	/** Whether the call would be asked about if this container were an ordinary machine. */
	#needsContainer(call: FrozenCall, items: readonly CallItem[]): boolean {
		const { boundary, isDefault } = this.#policy;
		if (boundary !== "container" || !isDefault || !this.#parts.options.onContained) return false;
		const context = { ...this.#context(call.name, commandOf(call)), mode: "ask", boundary: "none" } as const;
		return items.some((item) => judgeItem(item, context).verdict === "ask");
	}

	#opinions(call: FrozenCall, items: readonly CallItem[]): Opinion[] {
		const context = this.#context(call.name, commandOf(call), call.tool.aliases);
		return items.map((item) => judgeItem(item, context));
	}

	/** A search does not show what reading would be denied or asked about. */
	isHidden(path: string): boolean {
		// Asked about every file of a list: most are neither in a rule's reach nor near a secret.
		const hasRules = this.#currentRules().some(
			({ subject, list }) => subject.kind === "read" && list !== "allow",
		);
		if (!hasRules && !mayBeSecret(path, this.#parts.options.places)) return false;
		const item = fileItem("read", path);
		// A search there does not follow links, and those of this machine say nothing about them.
		const judged = this.#parts.options.remote?.() ? { ...item, paths: [path] } : item;
		return judgeItem(judged, this.#context("", undefined)).verdict !== "allow";
	}

	/** A host that a call of the browser has just opened needs no second yes. */
	async requestHost(host: string, port: number, signal: AbortSignal, by: HostUser): Promise<boolean> {
		const name = host.toLowerCase();
		const item: CallItem = { kind: "fetch", url: `${host}:${port}`, host: name, port };
		const opinion = judgeItem(item, this.#context("network", undefined));
		if (opinion.verdict === "allow") {
			if (opinion.grant) this.#grants.use(opinion.grant);
			return true;
		}
		if (opinion.verdict !== "ask") return false;
		if (by === "browser" && (this.#isApproved(item) || isUserHost(name, this.#policy.prompts()))) return true;
		const key = `${name}:${port}`;
		if ((this.#recent.get(key) ?? 0) > performance.now()) return true;
		this.#recent.delete(key);
		const fields = hostFields({ host, port, by, last: this.#lastCommand }, this.#agentName);
		const isYes = await this.#askFor(fields, hostSubjects(host, item.port), "network", signal);
		if (isYes && this.#recent.size < limits.approvedHosts)
			this.#recent.set(key, performance.now() + limits.onceMs);
		// As for a call: what has become narrower meanwhile wins over the answer.
		const since = judgeItem(item, this.#context("network", undefined)).verdict;
		return isYes && since !== "deny" && since !== "refuse";
	}

	#isApproved({ host, port }: { host: string; port?: number }): boolean {
		return this.#approvedHosts.has(grantText(fetchSubject(host, port)));
	}

	/** A host that a call has opened needs no second yes; whatever a page connects to by itself does. */
	async requestPrivate(target: PrivateTarget, signal: AbortSignal): Promise<boolean> {
		const host = target.host.toLowerCase();
		const item: CallItem = { kind: "fetch", url: `${host}:${target.port}`, host, port: target.port };
		// A container contains programs, and not what is in the network around it.
		const opinionNow = (): Opinion =>
			judgeItem(item, { ...this.#context("network", undefined), boundary: "none" });
		const opinion = opinionNow();
		if (opinion.verdict === "deny") return false;
		if (target.isOpened && (this.#isApproved(item) || isUserHost(host, this.#policy.prompts()))) return true;
		if (this.#policy.mode === "full") return target.isOpened;
		if (opinion.verdict === "allow") {
			if (opinion.grant) this.#grants.use(opinion.grant);
			return true;
		}
		if (opinion.verdict !== "ask") return false;
		const fields = privateFields(target, this.#agentName);
		const isYes = await this.#askFor(fields, hostSubjects(host, item.port), "network", signal);
		const since = opinionNow().verdict;
		return isYes && since !== "deny" && since !== "refuse";
	}

	async requestOutside(
		command: string,
		why: string,
		signal: AbortSignal,
		onlyApproved: boolean,
	): Promise<boolean> {
		if (this.#policy.mode === "full") return true;
		if (this.#policy.isReadOnly) return false;
		if (this.#outsideOnce.delete(command)) return true;
		const subject: GrantSubject = { kind: "outside", text: command };
		if (this.#grants.useFor(subject)) return true;
		if (onlyApproved) return false;
		const fields = outsideFields(command, why, this.#parts.cwd(), this.#agentName);
		const isYes = await this.#askFor(fields, [subject], "sandbox", signal);
		return isYes && !this.#policy.isReadOnly;
	}

	/** Which files of an agent's tree may not be written into the project, with the reasons, by path. */
	refusedWrites(merge: MergeWrites, signal: AbortSignal): Promise<Map<string, string>> {
		return refusedWrites(merge, signal, {
			judge: (path) => judgeItem(fileItem("write", path), this.#context("", undefined)),
			canAsk: this.#parts.requests.canAsk("approval"),
			running: this.#isBeside ? this.#policy.running : undefined,
			ask: (fields) => this.#askFor(fields, [], "merge", signal),
			notice: this.#parts.notice,
		});
	}

	grants(): readonly GrantInfo[] {
		return this.#grants.all.map(({ subject, lastUsedAt, ...grant }) => ({
			...grant,
			rule: grantText(subject),
			...(lastUsedAt === undefined ? {} : { lastUsedAt }),
		}));
	}

	revoke(id: string): boolean {
		return this.#grants.revoke(id);
	}

	[Symbol.dispose](): void {
		this.#grants.flush();
	}

	/** Who wrote `ask` expects that nothing is changed unasked; as a default, it must not stop scripts. */
	get #isAskChosen(): boolean {
		return this.#policy.mode === "ask" && !this.#policy.isDefault;
	}

	get #agentName(): string | undefined {
		return this.#parts.agent === "main" ? undefined : this.#parts.agent;
	}

	async #ask(
		call: FrozenCall,
		question: Question,
		earlier: Question | undefined,
		signal: AbortSignal,
	): Promise<Decision> {
		const { requests, notice } = this.#parts;
		const { asks, forced, preview } = question;
		if (!requests.canAsk("approval")) {
			const blocked = asks.filter(({ runsUnanswered }) => this.#isAskChosen || !runsUnanswered);
			if (blocked.length === 0 && forced.length === 0) return { allow: true };
			if (blocked.length === 0 && requests.canAsk("questions")) return this.#askPlainly(call, forced, signal);
			notice(refusalNotice(call.name, blocked, forced));
			return unanswered(call.name, blocked, forced);
		}
		const fields = approvalFields(call, {
			asks,
			forced: earlier ? [sinceApproved(earlier, question), ...forced] : forced,
			preview,
			agent: this.#agentName,
			offersFull: this.#policy.isFullUnconfirmed,
			cwd: this.#parts.cwd(),
			isHere: this.#parts.options.remote?.() === undefined,
		});
		const about = { sessionId: this.#parts.sessionId(), toolCallId: call.id, toolName: call.name };
		const { reason } = fields;
		const requested = {
			...about,
			...(reason === undefined ? {} : { reason }),
			approvalMode: this.#policy.mode,
		};
		await this.#parts.emit({ type: "tool_approval_requested", ...requested });
		const answer = await requests.ask("approval", fields, { signal });
		const approved = answer !== undefined && !signal.aborted && this.#take(answer, fields, asks, call.name);
		if (approved) this.#approve(asks);
		const words = answer?.message === undefined ? {} : { reason: answer.message };
		const amended = approved ? amendedArguments(call, answer.texts) : undefined;
		if (amended) this.#amended = { id: call.id, arguments: amended };
		const changed = amended ? { args: amended } : {};
		await this.#parts.emit({ type: "tool_approval_resolved", ...about, approved, ...words, ...changed });
		signal.throwIfAborted();
		if (!approved) return declined(call.name, answer?.message);
		return { allow: true, asked: true, ...(amended ? { amended } : {}) };
	}

	/** Whether these are the arguments that the user has just written: then no question is needed. */
	#takeAmended({ id, tool, arguments: args }: FrozenCall): boolean {
		const amended = this.#amended;
		if (amended?.id !== id) return false;
		this.#amended = undefined;
		const valid = tool.validate(amended.arguments);
		return valid.ok && Bun.deepEquals(valid.value, args);
	}

	#approve(asks: readonly Ask[]): void {
		for (const { subject, item } of asks) {
			if (subject?.kind === "outside" && this.#outsideOnce.size < limits.outsideOnce)
				this.#outsideOnce.add(subject.text);
			if (subject?.kind !== "fetch" || this.#approvedHosts.size >= limits.approvedHosts) continue;
			this.#approvedHosts.add(grantText(subject));
			// A command was asked about together with its connections.
			if (item.kind === "fetch" && item.url === item.host && this.#recent.size < limits.approvedHosts)
				for (const port of [80, 443])
					this.#recent.set(`${subject.host}:${port}`, performance.now() + limits.onceMs);
		}
	}

	/** A client that knows no approvals can answer a hook's question all the same. */
	async #askPlainly({ name }: FrozenCall, forced: readonly string[], signal: AbortSignal): Promise<Decision> {
		const runIt = "Run it";
		const question = `${showControls(forced.join("; "))}. Run it?`;
		const options = [{ label: "Don't run it" }, { label: runIt }];
		const asked = { questions: [{ id: "approval", question, options, multiple: false }] };
		const answer = await this.#parts.requests.ask("questions", asked, { signal });
		signal.throwIfAborted();
		const isYes = answer?.answers[0]?.chosen.includes(runIt) === true;
		return isYes ? { allow: true, asked: true } : declined(name, undefined);
	}

	/** Whether the answer allows the call; a longer yes is kept. */
	#take(
		{ choice }: AnswerOf<"approval">,
		{ choices }: Pick<ApprovalFields, "choices">,
		asks: readonly { subject: GrantSubject | undefined }[],
		tool: string,
	): boolean {
		const chosen = choices.find(({ id }) => id === choice);
		if (!chosen?.allows) return false;
		if (chosen.scope === "always") this.#policy.setMode("full");
		if (chosen.scope === "session" || chosen.scope === "project")
			for (const subject of grantSubjects(asks)) this.#grants.add(subject, chosen.scope, tool);
		return true;
	}

	async #askFor(
		fields: ApprovalFields,
		subjects: readonly (GrantSubject | undefined)[],
		tool: string,
		signal: AbortSignal,
	): Promise<boolean> {
		const answer = await this.#parts.requests.ask("approval", fields, { signal });
		return (
			answer !== undefined &&
			this.#take(
				answer,
				fields,
				subjects.map((subject) => ({ subject })),
				tool,
			)
		);
	}

	#context(tool: string, command: WholeCommand | undefined, aliases?: readonly string[]): JudgeContext {
		const { options } = this.#parts;
		const { mode, boundary } = this.#policy;
		return {
			mode,
			boundary,
			holdsWrites: options.holdsWrites?.() ?? false,
			rules: this.#currentRules(),
			tool,
			aliases,
			command,
			roots: this.#roots(),
			isTemporary: (path) => !options.remote?.() && this.#policy.isTemporary(path),
			protected: options.places,
			grantFor: (item): Grant | undefined => this.#grants.covering(item, command),
			isUserUrl: (url) => isUserUrl(url, this.#policy.prompts()),
		};
	}

	/** The project first; directories that a project's own files add do not count. */
	#roots(): string[] {
		const { options, settings, cwd } = this.#parts;
		const at = cwd();
		const added = settings
			.getWithoutProject("additionalDirectories")
			.map((path) => resolve(at, expandHome(path)));
		const roots = [at, ...added];
		return [...new Set(options.remote?.() ? roots : roots.map((root) => realPath(root)))];
	}

	#currentRules(): CollectedRules["rules"] {
		const { options, settings, notice } = this.#parts;
		const cwd = this.#parts.cwd();
		if (this.#rules?.cwd === cwd) return this.#rules.rules;
		const collected = collectRules({
			settings,
			files: options.ruleFiles(cwd),
			base: { cwd, home: options.places.home },
			isTrusted: options.isTrusted(cwd),
		});
		this.#rules = { ...collected, cwd };
		const fresh = collected.problems.filter((problem) => !this.#reported.has(problem));
		for (const problem of fresh.slice(0, limits.problems)) notice(problem);
		for (const problem of fresh) this.#reported.add(problem);
		return collected.rules;
	}
}

function refusalOf(tool: string, opinions: readonly Opinion[]): Verdict | undefined {
	for (const opinion of opinions) {
		if (opinion.verdict === "deny") return denied(tool, opinion.reason);
		if (opinion.verdict === "refuse") return readOnly(tool, opinion.reason);
	}
	return undefined;
}
