/** Settings about other machines. */
import { text } from "../setting.ts";

export const ssh = {
	machine: text({
		description:
			"The machine that sessions work on: ssh:host or ssh:host:/path; this machine without it. --machine and /machine override it.",
		default: undefined,
		notForProjects: "it decides where commands run",
		fixed: true,
	}),
	"ssh.config": text({
		description: "The OpenSSH configuration that hosts are read from; by default ~/.ssh/config.",
		default: undefined,
		notForProjects: "it names programs that ssh runs",
	}),
};
