/**
 * Files that no command of a model needs: keys, tokens, histories, and the data of browsers and mail programs. The sandbox
 * hides them from commands, and file tools ask before they read them: this is the only list.
 */

import { existsSync, readdirSync } from "node:fs";

import { limits } from "./limits.ts";

export interface Secrets {
	/** What they are, as a user would say it. */
	readonly what: string;
	/** Below the home directory. A directory stands for everything in it. */
	readonly home?: readonly string[];
	/** Absolute paths. */
	readonly system?: readonly string[];
	/** Below the home directory: what tools ask about, where they read the rest, such as instructions and skills. */
	readonly asked?: readonly string[];
}

export const secrets: readonly Secrets[] = [
	{ what: "SSH keys and configuration", home: [".ssh"] },
	{ what: "GnuPG keys", home: [".gnupg"] },
	{
		what: "cloud credentials",
		home: [
			".aws",
			".azure",
			".kube",
			".docker",
			".oci",
			".boto",
			".s3cfg",
			".databrickscfg",
			".snowflake",
			".fly",
			".netlify",
			".vercel",
			".railway",
			".supabase",
			".wrangler",
			".config/.wrangler",
			".config/gcloud",
			".config/doctl",
			".config/hcloud",
			".config/heroku",
			".config/stripe",
			".config/rclone",
			".config/containers/auth.json",
			".config/helm",
			".config/tailscale",
			".mc",
			".step",
			".local/share/containers",
			".terraform.d/credentials.tfrc.json",
			".terraformrc",
			".vault-token",
			".ngrok2",
			".config/ngrok",
			".wakatime.cfg",
		],
	},
	{
		what: "tokens of registries and repositories",
		home: [
			".npmrc",
			".yarnrc.yml",
			".pypirc",
			".pip/pip.conf",
			".config/pip/pip.conf",
			".gem/credentials",
			".hex",
			".bundle/config",
			".cargo/credentials",
			".cargo/credentials.toml",
			".m2/settings.xml",
			".m2/settings-security.xml",
			".gradle/gradle.properties",
			".nuget/NuGet/NuGet.Config",
			".composer/auth.json",
			".config/composer/auth.json",
			".hex/hex.config",
			".sentryclirc",
			".kaggle",
			".huggingface",
			".cache/huggingface/token",
			".cache/huggingface/stored_tokens",
			".git-credentials",
			".config/git/credentials",
			".config/gh",
			".config/glab-cli",
			".config/hub",
			".config/configstore",
			".gitcookies",
			".config/git/cookies",
			".config/tea",
			".jupyter",
			".local/share/jupyter/runtime",
			".android/adbkey",
		],
	},
	{
		what: "stored passwords and tokens",
		home: [
			".netrc",
			"_netrc",
			".authinfo",
			".authinfo.gpg",
			".pgpass",
			".my.cnf",
			".mylogin.cnf",
			".password-store",
			".local/share/keyrings",
			".local/share/kwalletd",
			"Library/Keychains",
			".pki",
			".1password",
			".config/1Password",
			".config/op",
			".config/Bitwarden",
			".config/Bitwarden CLI",
			".config/sops",
			".config/age",
			".smbcredentials",
			".msmtprc",
			".config/msmtp",
			".mbsyncrc",
			".fetchmailrc",
			".vnc",
			".putty",
			".Xauthority",
			".ICEauthority",
			".local/share/mkcert",
			".bitcoin",
			".ethereum",
			".electrum",
		],
	},
	{
		what: "browser profiles, mail and messages",
		home: [
			".mozilla",
			".thunderbird",
			".config/google-chrome",
			".config/chromium",
			".config/BraveSoftware",
			".config/microsoft-edge",
			".config/Signal",
			".config/Slack",
			".config/discord",
			".local/share/TelegramDesktop",
			"Library/Cookies",
		],
	},
	{
		what: "the history of a shell or program, which may contain passwords",
		home: [
			".bash_history",
			".zsh_history",
			".zhistory",
			".histfile",
			".local/share/fish/fish_history",
			".python_history",
			".ipython/profile_default/history.sqlite",
			".node_repl_history",
			".irb_history",
			".php_history",
			".psql_history",
			".mysql_history",
			".mariadb_history",
			".sqlite_history",
			".rediscli_history",
			".dbshell",
			".mongodb",
			".lesshst",
			".viminfo",
			".zsh_sessions",
			".local/share/atuin",
			".local/share/nvim/shada",
			".local/state/nvim/shada",
		],
	},
	{
		what: "credentials of another agent",
		home: [
			".pi",
			".omp",
			".claude",
			".claude.json",
			".codex",
			".gemini",
			".local/share/opencode",
			".config/opencode",
			".config/github-copilot",
			".copilot",
			".cursor",
			".continue",
			".aider.conf.yml",
			".qwen",
			".config/goose",
			".config/crush",
			".local/share/crush",
			".config/io.datasette.llm",
			".ollama/id_ed25519",
			".codeium",
		],
		asked: [
			".pi/agent/auth.json",
			".pi/agent/models.json",
			".omp/agent/agent.db",
			".omp/agent/auth.json",
			".omp/agent/models.yml",
			".omp/agent/mcp.json",
			".claude/.credentials.json",
			".claude/history.jsonl",
			".claude.json",
			".codex/auth.json",
			".codex/history.jsonl",
			".gemini/oauth_creds.json",
			".gemini/google_accounts.json",
			".gemini/.env",
			".local/share/opencode/auth.json",
			".config/opencode/opencode.json",
			".config/opencode/opencode.jsonc",
			".config/github-copilot",
			".copilot/config.json",
			".cursor/mcp.json",
			".continue/config.json",
			".continue/config.yaml",
			".aider.conf.yml",
			".qwen/oauth_creds.json",
			".config/goose/secrets.yaml",
			".local/share/crush/crush.json",
			".config/io.datasette.llm/keys.json",
			".ollama/id_ed25519",
			".codeium",
		],
	},
	// Where variables have moved Tau's directories, their own paths are known (`protected-locations.ts`).
	{ what: "Tau's credentials", home: [".tau"], asked: [] },
	{
		// Only their administrator may read them: Tau may run as that.
		what: "secrets of the system",
		system: [
			"/etc/shadow",
			"/etc/shadow-",
			"/etc/gshadow",
			"/etc/gshadow-",
			"/etc/sudoers",
			"/etc/sudoers.d",
			"/etc/ssl/private",
			"/etc/ssh/ssh_host_rsa_key",
			"/etc/ssh/ssh_host_ecdsa_key",
			"/etc/ssh/ssh_host_ed25519_key",
			"/etc/NetworkManager/system-connections",
			"/etc/wireguard",
			"/etc/kubernetes",
			"/etc/krb5.keytab",
			"/var/lib/docker",
			"/var/lib/containerd",
			"/var/lib/kubelet",
			"/var/lib/sudo",
			"/var/spool/cron",
			"/var/spool/mail",
			"/var/mail",
		],
	},
];

/** Below the home directory: what runs by itself later. Approvals protect it everywhere, the sandbox in a home project. */
export const runsLater = {
	/** Files that a shell reads when it starts. */
	shell: [
		".bashrc",
		".bash_profile",
		".bash_login",
		".bash_logout",
		".bash_aliases",
		".profile",
		".zshrc",
		".zshenv",
		".zprofile",
		".zlogin",
		".zlogout",
		".kshrc",
		".cshrc",
		".tcshrc",
		".login",
		".inputrc",
		".config/fish",
		".config/nushell",
		".config/bash",
		".config/zsh",
		".xprofile",
		".xinitrc",
		".xsession",
		".pam_environment",
	],
	/** What the desktop or the service manager starts. */
	automatic: [
		".config/systemd",
		".config/autostart",
		".config/environment.d",
		".local/share/systemd",
		"Library/LaunchAgents",
	],
	/** Configuration of programs that may name commands. */
	commands: [
		".gitconfig",
		".config/git",
		".vimrc",
		".config/nvim",
		".tmux.conf",
		".config/tmux",
		".pythonrc",
		".Rprofile",
		".irbrc",
		".config/direnv",
		// Lock files of editors: whoever writes one could answer questions in the user's name.
		".claude/ide",
		".config/claude/ide",
	],
} as const satisfies Record<string, readonly string[]>;

/**
 * Settings of editors in a project: an editor that has it open starts the programs that they name, without anybody who runs
 * something. Approvals protect them everywhere, the sandbox in the project and in added directories.
 */
export const editorSettings: readonly string[] = [
	".vscode/settings.json",
	".vscode/tasks.json",
	".zed/settings.json",
	".helix/config.toml",
	".helix/languages.toml",
	".vim/coc-settings.json",
	".idea/workspace.xml",
	".idea/watcherTasks.xml",
	".idea/startup.xml",
];

/**
 * What runs at the prompt of a shell in the project. mise trusts a file for good, whatever it becomes: one that exists is
 * protected, and a new one is harmless, because its user is asked.
 */
export const promptSettings: readonly string[] = [
	"mise.toml",
	"mise.local.toml",
	".mise.toml",
	".mise.local.toml",
	".mise/config.toml",
	"mise/config.toml",
	".config/mise.toml",
	".config/mise/config.toml",
];

/** Settings of version control systems in a project, in which hooks, pagers and aliases name programs. Git's are more (`git-paths.ts`). */
export const repositorySettings: readonly string[] = [
	".hg/hgrc",
	".hg/hgrc-not-shared",
	".hg/sharedpath",
	".jj/repo/config.toml",
	"_darcs/prefs/defaults",
	".lazygit.yml",
];

/** Files of other agents that run code of the project, and directories from which they load it. */
export const agentSettings: readonly string[] = [
	".claude/settings.json",
	".claude/settings.local.json",
	".codex/config.toml",
	".gemini/settings.json",
	".mcp.json",
	".cursor/mcp.json",
	".cursor/hooks.json",
	".vscode/mcp.json",
	"opencode.json",
	"opencode.jsonc",
	".opencode/opencode.json",
	".opencode/opencode.jsonc",
	".opencode/plugin",
	".opencode/plugins",
	".opencode/tool",
	".opencode/tools",
	".pi/extensions",
	".pi/settings.json",
	".omp/extensions",
	".gemini/extensions",
	"crush.json",
	".crush.json",
	".roo/mcp.json",
	".qwen/settings.json",
];

/** Homes of other users, whose secrets root can read. */
export function otherHomes(home: string): string[] {
	if (process.getuid?.() !== 0) return [];
	const all = existsSync("/home") ? readdirSync("/home").map((name) => `/home/${name}`) : [];
	return ["/root", ...all].filter((path) => path !== home).slice(0, limits.otherHomes);
}

/** Programs that the user starts by name are added where the home directory is writable. */
export const startupFiles: readonly string[] = [...Object.values(runsLater).flat(), ".local/bin", "bin"];

/** Directories of sockets of running services: a socket can be used even where nothing can be written. */
export const serviceDirectories: readonly string[] = ["/run", "/var/run"];

/** Variables that lead to services of the user's session. */
export const serviceVariables: readonly string[] = [
	"SSH_AUTH_SOCK",
	"SSH_AGENT_PID",
	"SSH_CONNECTION",
	"GPG_AGENT_INFO",
	"DBUS_SESSION_BUS_ADDRESS",
	"DBUS_SYSTEM_BUS_ADDRESS",
	"DISPLAY",
	"WAYLAND_DISPLAY",
	"XAUTHORITY",
	"XDG_RUNTIME_DIR",
	"DOCKER_HOST",
	"CONTAINER_HOST",
	"TMUX",
	"STY",
	"VSCODE_IPC_HOOK_CLI",
	"VSCODE_GIT_IPC_HANDLE",
	"GIT_ASKPASS",
];
