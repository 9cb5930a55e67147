/** The entry point `@tau/extensions/trust`. */
export {
	forgetTrust,
	isTrusted,
	refuseForRun,
	setTrusted,
	trustAnswer,
	trustOf,
	keyAnswer,
	setKeyAnswer,
} from "./trust.ts";
export { refusal } from "./project-trust.ts";
