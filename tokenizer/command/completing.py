"""`completion`: shell completion of commands, options and names."""

import click
from click.shell_completion import get_completion_class

NAME, VARIABLE = "tokenloupe", "_TOKENLOUPE_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx, shell):
    """Write what completes tokenloupe in a shell.

    \b
    bash, in ~/.bashrc:  eval "$(tokenloupe completion bash)"
    zsh, in ~/.zshrc:    eval "$(tokenloupe completion zsh)"
    fish, once:          tokenloupe completion fish > ~/.config/fish/completions/tokenloupe.fish
    """
    click.echo(get_completion_class(shell)(ctx.find_root().command, {}, NAME, VARIABLE).source())
