/** The grammar of vim's normal mode: a count, an operator, a motion or an object. */
import { limits } from "../limits.ts";

export type Operator = "d" | "c" | "y";

export interface Command {
	/** 1 unless typed. */
	count: number;
	/** True if a count was typed: `G` then has another meaning. */
	isCounted: boolean;
	operator?: Operator;
	/** The motion, object or action: `w`, `gg`, `fx`, `i"`, `p`. */
	what: string;
}

/** With a selection the operators act at once. */
const visualForm = /^([1-9]\d*)?()()(.*)$/su;
const normalForm = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?(.*)$/su;

/** Parses the typed command, `more` while it is incomplete; its meaning is decided elsewhere. */
export function readCommand(typed: string, isVisual: boolean): Command | "more" {
	const [, first, operator, second, what = ""] = (isVisual ? visualForm : normalForm).exec(typed) ?? [];
	if (what === "") return "more";
	const takesObject = isVisual || isOperator(operator);
	if (what.length === 1 && (takesObject ? "fFtTgia" : "fFtTgr").includes(what)) return "more";
	const count = Math.min(limits.vimCount, Number(first ?? 1) * (Number(second) || 1));
	const command = { count, isCounted: first !== undefined || Number(second) > 0, what };
	return isOperator(operator) ? { ...command, operator } : command;
}

function isOperator(value: string | undefined): value is Operator {
	return value === "d" || value === "c" || value === "y";
}
