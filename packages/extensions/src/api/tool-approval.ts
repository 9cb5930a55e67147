/** What a tool of an extension says about the approval of its calls, in the forms that omp knows. */
import type { AgentTool, ToolApproval, Verdict } from "@tau/agent";
import { isRecord } from "@tau/utils";

/** The tier of a call, or with it what is to happen whatever the mode: refuse it, ask the user, or let it run. */
export type ApprovalDecision =
	| ToolApproval
	| {
			tier: ToolApproval;
			/** Shown to the user who is asked, or to the model that is refused. */
			reason?: string;
			/** The same as `policy: "prompt"`. */
			override?: boolean;
			policy?: "allow" | "deny" | "prompt";
	  };

/** For all calls, or for each by its arguments. */
export type DeclaredApproval =
	ApprovalDecision | ((args: Readonly<Record<string, unknown>>) => ApprovalDecision);

type Args = Readonly<Record<string, unknown>>;

/** Extensions are not always typed: what is none of the forms counts as not declared. */
export function isApproval(declared: unknown): declared is DeclaredApproval {
	return typeof declared === "function" || decisionIn(declared) !== undefined;
}

/** A tool that does not declare its permissions is assumed to need all of them, or those of the one that it replaces. */
export function approvalOf(
	declared: unknown,
	replaced: AgentTool | undefined,
): Pick<AgentTool, "approval" | "approvalFor" | "isUndeclared"> {
	if (!isApproval(declared))
		return { approval: replaced?.approval ?? "exec", ...(replaced ? {} : { isUndeclared: true }) };
	if (typeof declared !== "function") return { approval: decisionIn(declared)?.tier ?? "exec" };
	return { approval: "exec", approvalFor: (args) => decisionFor(declared, args)?.tier ?? "exec" };
}

/** What the tool itself wants for this call, besides its tier; undefined if that decides. A function that throws denies it. */
export function ownVerdict(name: string, declared: unknown, args: Args): Verdict | undefined {
	if (!isApproval(declared)) return undefined;
	const { policy, reason } = decisionFor(declared, args) ?? {};
	if (policy === "deny") return { allow: false, reason: reason ?? `${name} refuses this call.` };
	if (policy === "prompt") return { allow: "ask", reason: reason ?? `${name} wants you to decide` };
	return policy === "allow" ? { allow: true, unasked: true } : undefined;
}

interface Decision {
	tier: ToolApproval;
	policy?: "allow" | "deny" | "prompt";
	reason?: string;
}

function decisionFor(declared: DeclaredApproval, args: Args): Decision | undefined {
	return decisionIn(typeof declared === "function" ? declared(structuredClone({ ...args })) : declared);
}

const tiers: readonly unknown[] = ["read", "write", "exec"] satisfies ToolApproval[];
const policies: readonly unknown[] = ["allow", "deny", "prompt"] satisfies Decision["policy"][];

function decisionIn(decision: unknown): Decision | undefined {
	if (isTier(decision)) return { tier: decision };
	if (!isRecord(decision) || !isTier(decision.tier)) return undefined;
	const { tier, reason, override } = decision;
	const policy = override === true && decision.policy !== "deny" ? "prompt" : decision.policy;
	return {
		tier,
		...(isPolicy(policy) ? { policy } : {}),
		...(typeof reason === "string" && reason !== "" ? { reason } : {}),
	};
}

function isTier(value: unknown): value is ToolApproval {
	return tiers.includes(value);
}

function isPolicy(value: unknown): value is NonNullable<Decision["policy"]> {
	return policies.includes(value);
}
