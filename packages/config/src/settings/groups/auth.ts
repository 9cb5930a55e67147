/** Settings about where credentials come from. */
import { text } from "../setting.ts";

const redirect = "it controls where credentials come from";

export const auth = {
	"auth.broker.url": text({
		description:
			"The address of the auth broker that lends Tau its credentials, such as https://broker.example:8765. The credentials of this machine are not used then. TAU_AUTH_BROKER_URL takes precedence. Unset: no broker.",
		default: undefined,
		fixed: true,
		notForProjects: redirect,
	}),
	"auth.broker.token": text({
		description:
			"The token of the auth broker, or $NAME for the variable that contains it. TAU_AUTH_BROKER_TOKEN takes precedence. Unset: the file auth-broker.token of the config directory.",
		default: undefined,
		isSecret: true,
		fixed: true,
		notForProjects: redirect,
	}),
};
