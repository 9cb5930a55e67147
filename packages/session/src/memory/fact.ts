/** What memory consists of: facts with their source, skills, and the changes that made them. */

/** The most important first. */
export const factKinds = ["constraint", "preference", "decision", "workflow", "fix", "fact"] as const;
export type FactKind = (typeof factKinds)[number];

/** What is worth knowing before anything is asked; the model's words come after the user's more important ones. */
export const standingOrder: readonly (readonly ["user" | "assistant", FactKind])[] = factKinds
	.flatMap((kind) => [["user", kind] as const, ["assistant", kind] as const])
	.toSorted((a, b) => standingRank(a) - standingRank(b));

function standingRank([who, kind]: readonly ["user" | "assistant", FactKind]): number {
	return factKinds.indexOf(kind) + (who === "user" ? 0 : factKinds.length / 2);
}

/** A statement that a later session may need. */
export interface Fact {
	readonly id: number;
	readonly kind: FactKind;
	readonly text: string;
	/** What it is about, in two or three words. */
	readonly subject: string;
	/** Who said it: the user's words count more than the model's. */
	readonly who: "user" | "assistant";
	/** The id of the session that it comes from; empty if the user wrote it. */
	readonly session: string;
	/** The entry of that session, and its words. */
	readonly entry: string;
	readonly quote: string;
	/** Its place among the facts of its session: those beside it are its neighbors. */
	readonly position: number;
	/** When it was said, in milliseconds. */
	readonly said: number;
	/** From then on it is not used; null: no end. */
	readonly expires: number | null;
	/** The newer fact that contradicts or contains it; null: it counts. */
	readonly replacedBy: number | null;
}

export type NewFact = Omit<Fact, "id">;

/** A procedure that several sessions repeated. */
export interface Skill {
	readonly name: string;
	readonly description: string;
	readonly body: string;
}

/** A row as a change stores it: absent before means added, absent after means removed. */
export interface RowChange {
	table: "facts" | "skills";
	key: number | string;
	before: Fact | Skill | null;
	after: Fact | Skill | null;
}

export interface MemoryChange {
	readonly id: number;
	readonly at: number;
	/** What was done, for the user: `3 facts from "Fix the login"`. */
	readonly label: string;
	readonly rows: readonly RowChange[];
	/** Proposed changes wait for the user's yes. */
	readonly state: "applied" | "proposed";
}

export function counts(fact: Fact, now = Date.now()): boolean {
	return fact.replacedBy === null && (fact.expires === null || fact.expires > now);
}
