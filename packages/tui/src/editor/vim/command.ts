/** The grammar of vim's normal mode: a count, an operator, a motion or an object. */
import { limits } from "../limits.ts";

export type Operator = "d" | "c" | "y";

export interface Command {
	/** 1 unless typed. */
	count: number;
	/** Whether a count was typed: `G` means another thing then. */
	isCounted: boolean;
	operator?: Operator;
	/** The motion, object or action: `w`, `gg`, `fx`, `i"`, `p`. */
	what: string;
}

/** With a selection the operators act at once, and are no beginning of anything. */
const visualForm = /^([1-9]\d*)?()()(.*)$/su;
const normalForm = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?(.*)$/su;

/** The command that was typed, `more` while it is unfinished; what it means is decided elsewhere. */
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
