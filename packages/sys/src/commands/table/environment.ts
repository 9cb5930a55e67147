/** Variables that decide what programs do, and those that do not. */

/** They make programs load code, start others, or find other programs and settings. */
const harmful =
	/^(?:PATH|HOME|SHELL|IFS|ENV|BASH_.*|BASHOPTS|SHELLOPTS|CDPATH|PWD|OLDPWD|DIRSTACK|EXECIGNORE|MAILPATH|ZDOTDIR|COMP_.*|PS[0-4]|PROMPT_COMMAND|FCEDIT|GLOBIGNORE|HIST(?:FILE|FILESIZE|SIZE)|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|GIT_.*|SSH_ASKPASS|SSH_AUTH_SOCK|PAGER|MANPAGER|MANOPT|LESS|LESS.*|MORE|ACK.*|EDITOR|VISUAL|BROWSER|GREP_OPTIONS|RIPGREP_CONFIG_PATH|TAR_OPTIONS|RSYNC_RSH|RSYNC_.*|TAPE|GZIP|BZIP2?|XZ_OPT|XZ_DEFAULTS|ZIPOPT|UNZIP|NODE_OPTIONS|NODE_PATH|PYTHON.*|PERL5?.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|GOFLAGS|GOTOOLCHAIN|GOROOT|GOPROXY|CGO_.*|CC|CXX|MAKEFLAGS|MAKEFILES|MFLAGS|GNUMAKEFLAGS|CARGO_.*|RUSTC.*|RUSTFLAGS|RUSTDOC.*|NPM_CONFIG_.*|npm_config_.*|YARN_.*|BUN_.*|DENO_.*|XDG_.*|KUBECONFIG|KUBE_.*|KUBECTL_.*|DOCKER_.*|AWS_.*|AZURE_.*|GOOGLE_.*|CLOUDSDK_.*|BAT_.*|FZF_.*|JQ_.*|SQLITE.*|PSQL.*|PG.*|MYSQL_.*|WGETRC|CURL_HOME|CURL_.*|SSL_.*|HTTPS?_PROXY|https?_proxy|ALL_PROXY|all_proxy|AWKPATH|AWKLIBPATH|OPENSSL_.*|TERMINFO.*|TERMCAP|INPUTRC|SYSTEMD_.*|TEXTDOMAIN.*|MANPATH|DEBUGINFOD_.*|(?:PYENV|RBENV|NODENV|GOENV|JENV|ASDF|VOLTA|NVM|FNM|MISE|SDKMAN|RUSTUP|DOTNET|CONDA)_.*|GOENV|GOPATH|GOBIN|DIFF_OPTIONS|POSIXLY_CORRECT|TMPDIR|TAU_.*|__tau_.*)$/u;

/** They change how output looks, or what a program of the project prints. */
const harmless =
	/^(?:LC_[A-Z]+|LANG|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|CI|DEBUG|VERBOSE|NODE_ENV|RUST_LOG|RUST_BACKTRACE|LOG_LEVEL|RAILS_ENV|APP_ENV|TIMEFORMAT|DEBIAN_FRONTEND|PORT|HOST)$/u;

/** Bash evaluates what is assigned to them as arithmetic. */
const evaluated =
	/^(?:S?RANDOM|HISTCMD|OPTIND|SECONDS|LINENO|EPOCH(?:REALTIME|SECONDS)|BASH(?:PID|_MONOSECONDS|_SUBSHELL)|E?UID|PPID)$/u;

export function isEvaluatedVariable(name: string): boolean {
	return evaluated.test(name);
}

/** Settings of one language or build tool: they make its programs load code, which those do anyway. */
const ofLanguage =
	/^(?:PYTHON\w*|NODE_OPTIONS|NODE_PATH|RUBY\w*|PERL\w*|JAVA_\w+|CLASSPATH|GOFLAGS|CGO_\w+|CARGO_\w+|RUST\w*|npm_config_\w+|NPM_CONFIG_\w+|MAKEFLAGS|CC|CXX|PG\w*|MYSQL_\w+|BUNDLE_\w+|DENO_\w+|BUN_\w+|AWS_\w+|DOCKER_\w+|(?:PYENV|RBENV|NODENV|GOENV|JENV|ASDF|VOLTA|NVM|FNM|MISE|SDKMAN|RUSTUP|DOTNET|CONDA)_\w+|GOENV|GOPATH|GOBIN)$/u;

/** Before a program (`PYTHONPATH=src pytest`) they count as part of what it runs. */
export function isOfLanguage(name: string): boolean {
	return !harmful.test(name) || ofLanguage.test(name);
}

export function isHarmfulVariable(name: string): boolean {
	return harmful.test(name);
}

const locale = /^(?:LC_[A-Z]+|LANG)$/u;
const plainLocale = /^(?:|C|POSIX|[\w@.-]*\.utf-?8(?:@\w+)?)$/iu;

/** In GBK, Big5 or Shift JIS a backslash may be the second byte of a letter: bash then reads quotes otherwise. */
export function changesEncoding(name: string, value: string | undefined): boolean {
	return locale.test(name) && !plainLocale.test(value ?? "?");
}

export function isHarmlessVariable(name: string): boolean {
	return harmless.test(name);
}
