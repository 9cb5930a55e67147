/** What programs of the user run or read as settings by themselves later: of the home directory, and of a project. */

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
		// The installer of Rust lets the others read these.
		".cargo/env",
		".cargo/env.fish",
		".cargo/env.nu",
		".bash_completion",
		".config/bash_completion",
		".config/user-dirs.dirs",
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
		".local/share/direnv/allow",
		".config/mise",
		".tool-versions",
		".vim",
		".hgrc",
		".config/hg",
		".selected_editor",
		// Lock files of editors: whoever writes one could answer questions in the user's name.
		".claude/ide",
		".config/claude/ide",
	],
} as const satisfies Record<string, readonly string[]>;

/**
 * Settings of editors and consoles in a project: one that is opened there starts the programs that they name, without anybody
 * who runs something. Approvals protect them everywhere, the sandbox in the project and in added directories.
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
	".idea/externalTools.xml",
	".devcontainer/devcontainer.json",
	".devcontainer.json",
	".dir-locals.el",
	".dir-locals-2.el",
	// With the option exrc.
	".exrc",
	"_exrc",
	".vimrc",
	"_vimrc",
	".gvimrc",
	"_gvimrc",
	".nvimrc",
	".nvim.lua",
	".lazy.lua",
	".lvimrc",
	".local.vimrc",
	".vimrc.local",
	".emacs.desktop",
	".irbrc",
	".pryrc",
];

/**
 * What runs at the prompt of a shell in the project, or chooses its programs. mise trusts a directory with what is made in it later,
 * and asks about no `.tool-versions`.
 */
export const promptSettings: readonly string[] = [
	"mise.toml",
	"mise.local.toml",
	".mise.toml",
	".mise.local.toml",
	...["dev", "development", "test", "ci", "staging", "prod", "production"].flatMap((name) =>
		["mise", ".mise"].flatMap((file) => [`${file}.${name}.toml`, `${file}.${name}.local.toml`]),
	),
	".mise/config.toml",
	".mise/config.local.toml",
	".mise/conf.d",
	"mise/config.toml",
	"mise/config.local.toml",
	"mise/conf.d",
	".config/mise.toml",
	".config/mise.local.toml",
	".config/mise",
	".miserc.toml",
	".config/miserc.toml",
	".tool-versions",
	// Prompts ask `rustc` for its version, which this may be the path of.
	"rust-toolchain",
	"rust-toolchain.toml",
	// These trust a directory, and not what is in it.
	".shadowenv.d",
	".prototools",
	"pkgx.yaml",
	".pkgx.yaml",
];

/** Variables that name settings of this user, or the directory of all of them. */
export const settingsVariables: readonly string[] = [
	"XDG_CONFIG_HOME",
	"XDG_DATA_HOME",
	"ZDOTDIR",
	"BASH_ENV",
	"ENV",
	"INPUTRC",
	"GIT_CONFIG_GLOBAL",
	"GIT_CONFIG_SYSTEM",
	"HGRCPATH",
	"PYTHONSTARTUP",
	"STARSHIP_CONFIG",
	"DIRENV_CONFIG",
	"MISE_CONFIG_DIR",
	"MISE_GLOBAL_CONFIG_FILE",
	"RIPGREP_CONFIG_PATH",
	"NPM_CONFIG_USERCONFIG",
	"KUBECONFIG",
];

/** Where git that Homebrew has installed reads the settings of the system. */
export const systemSettings: readonly string[] = [
	"/usr/local/etc/gitconfig",
	"/opt/homebrew/etc/gitconfig",
	"/home/linuxbrew/.linuxbrew/etc/gitconfig",
];

/** Settings of version control systems in a project, in which hooks, pagers and aliases name programs. Git's are more (`git-paths.ts`). */
export const repositorySettings: readonly string[] = [
	".hg/hgrc",
	".hg/hgrc-not-shared",
	".hg/sharedpath",
	".sl/config",
	".jj/repo/config.toml",
	".jj/workspace-config.toml",
	".pijul/config",
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
	".codex/hooks.json",
	".github/hooks",
	".kiro/settings/mcp.json",
	".kiro/hooks",
	".windsurf/hooks.json",
	".windsurf/mcp_config.json",
	".trae/mcp.json",
	".factory/mcp.json",
	".factory/settings.json",
	".kilocode/mcp.json",
	".amazonq/mcp.json",
	".amazonq/default.json",
	".amazonq/cli-agents",
	".junie/mcp",
	".amp/settings.json",
	".aider.conf.yml",
	".continue/config.yaml",
	".continue/mcpServers",
	".clinerules/hooks",
	".augment/settings.json",
];

/** Hidden files of a home directory that programs of the user write all the time, and none runs. */
export const dataFiles: readonly string[] = [".z", ".fasd", ".wget-hsts", ".DS_Store", ".xsession-errors"];

/** Programs that the user starts by name are added where the home directory is writable. */
export const startupFiles: readonly string[] = [...Object.values(runsLater).flat(), ".local/bin", "bin"];
