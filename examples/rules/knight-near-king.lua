-- Rook against knight (in any book on endings): a draw if the knight is next to its king and the king is not in a
-- corner; lost if the knight is far from its king. Here, far means four squares or more.
--
-- On trial: KRvKN

return function()
  local apart = distance(bk, bn)
  local corner = (file(bk) == 1 or file(bk) == 8) and (rank(bk) == 1 or rank(bk) == 8)
  if apart == 1 and not corner then
    return turn == "white" and "not win" or "not loss", "knight beside its king"
  end
  if apart >= 4 then return turn == "white" and "win" or "loss", "knight far from its king" end
end
