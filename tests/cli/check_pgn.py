#!/usr/bin/env python3
"""check_pgn.py TREBUCHET TABLES - random games, written by python-chess and in other people's styles,
are read and written again by `trebuchet probe --output pgn`; python-chess must find in that the same moves,
comments, NAGs and variations, and what was added must be true."""
import io
import random
import subprocess
import sys

import chess
import chess.pgn

trebuchet, tables = sys.argv[1:3]
rng = random.Random(7)


def long_form(board, move):
    piece = board.piece_at(move.from_square).symbol().upper()
    sign = "x" if board.is_capture(move) else "-"
    text = chess.square_name(move.from_square) + sign + chess.square_name(move.to_square)
    return ("" if piece == "P" else piece) + text + (chess.piece_symbol(move.promotion) if move.promotion else "")


def loose_form(board, move):
    text = board.san(move).replace("=", "").replace("O", "0")
    if board.is_en_passant(move):
        text = text.rstrip("+#") + " e.p."
    elif rng.random() < 0.2:
        text += rng.choice(["!", "?", "!?", "+-"])
    return text


STYLES = [None, long_form, loose_form, chess.Board.uci, chess.Board.lan]


def random_start():
    if rng.random() < 0.5:
        return chess.Board()
    while True:
        board = chess.Board(None)
        men = [chess.Piece.from_symbol(c) for c in "Kk" + rng.choice(["Q", "R", "P", "Pp", "Rp", "BN", "Qr"])]
        for square, piece in zip(rng.sample(range(64), len(men)), men):
            board.set_piece_at(square, piece)
        board.turn = rng.random() < 0.5
        board.halfmove_clock = rng.choice([0, 3, 90])
        if board.is_valid():
            return board


def random_game(number):
    game = chess.pgn.Game()
    game.headers["Event"] = f"game {number} \"quoted\" \\ text"
    board = random_start()
    if board.fen() != chess.STARTING_FEN:
        game.setup(board)
    node = game
    for _ in range(rng.randrange(120)):
        board = node.board()
        if not any(board.legal_moves):
            break
        moves = list(board.legal_moves)
        best = node.add_variation(rng.choice(moves))
        if rng.random() < 0.1:
            best.comment = f"comment {rng.random()} (of {number})"
        if rng.random() < 0.1:
            best.nags.add(rng.choice([1, 2, 3, 14]))
        if rng.random() < 0.1 and len(moves) > 1:
            other = node.add_variation(rng.choice([m for m in moves if m != best.move]))
            other.comment = "other"
            more = list(other.board().legal_moves)
            if more:
                other.add_variation(rng.choice(more))
        node = best
    game.headers["Result"] = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
    return game


def written(game, style):
    if style is None:
        return game.accept(chess.pgn.StringExporter(columns=rng.choice([80, None, 20]))) + "\n\n"
    board, words = game.board(), []
    for move in game.mainline_moves():
        if board.turn or not words:
            words.append(f"{board.fullmove_number}." + ("" if board.turn else ".."))
        words.append(style(board, move))
        board.push(move)
    tags = "".join(f'[{k} "{v}"]\n'.replace("\\", "\\\\") for k, v in game.headers.items() if k != "Event")
    return tags + "\n" + " ".join(words) + " " + game.headers["Result"] + "\n\n"


def tree(node):
    """The moves and variations, of which those come first that were there first."""
    return [(child.move.uci(), tree(child)) for child in node.variations]


games, styles, text = [], [], ""
for number in range(150):
    games.append(random_game(number))
    styles.append(STYLES[number % len(STYLES)])
    text += written(games[-1], styles[-1])
run = subprocess.run([trebuchet, "probe", "-t", tables, "--input", "pgn", "--output", "pgn", "-"],
                     input=text, capture_output=True, text=True)
assert run.returncode == 0, run.stderr
out = io.StringIO(run.stdout)
blunders = comments = 0
for number, (game, style) in enumerate(zip(games, styles)):
    again = chess.pgn.read_game(out)
    assert again is not None and not again.errors, f"game {number}: {again and again.errors}"
    assert list(again.mainline_moves()) == list(game.mainline_moves()), f"game {number}: other moves"
    assert again.headers["Result"] == game.headers["Result"]
    assert again.board().fen() == game.board().fen()
    if style is None:
        assert again.headers["Event"] == game.headers["Event"], again.headers["Event"]
    mine, theirs = game, again
    while mine.variations:
        if style is None:
            # Ours comes first, then theirs.
            added = [v for v in theirs.variations[1:] if len(v.variations) == 0 and " wins" in v.comment or v.comment == "Draw"]
            kept = [v for v in theirs.variations[1:] if v not in added]
            assert [tree(v) for v in kept] == [tree(v) for v in mine.variations[1:]], f"game {number}"
            assert theirs.next().comment.endswith(mine.next().comment), f"game {number}: {theirs.next().comment}"
            assert mine.next().nags <= theirs.next().nags
        mine, theirs = mine.next(), theirs.next()
        blunders += 4 in theirs.nags
        comments += "wins" in theirs.comment or "Draw" in theirs.comment
        board = theirs.board()
        assert not board.is_checkmate() or "wins" not in theirs.comment
        if len(board.piece_map()) <= 4 and not board.is_game_over():
            assert "wins" in theirs.comment or "Draw" in theirs.comment, f"game {number}: {board.fen()}"
assert chess.pgn.read_game(out) is None
assert blunders > 20 and comments > 500, (blunders, comments)
print(f"{len(games)} games, {comments} positions valued, {blunders} blunders")
