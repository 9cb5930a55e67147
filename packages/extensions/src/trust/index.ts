/** The entry point `@tau/extensions/trust`. */
export {
	changesSinceTrust,
	forgetTrust,
	isTrusted,
	refuseForRun,
	rememberCode,
	setTrusted,
	trustAnswer,
	trustOf,
	keyAnswer,
	setKeyAnswer,
	watchCode,
	whyUntrusted,
} from "./trust.ts";
export { refusal } from "./project-trust.ts";
